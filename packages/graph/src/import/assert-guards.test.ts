import { expect, it } from "vitest";
import { parse } from "../text/parse-program.ts";
import { print } from "../text/print-program.ts";
import { validate } from "../validate/validate.ts";
import { assertGuards } from "./assert-guards.ts";

const program = parse(`program {
  user_input %x: f32[s0, s1]
  user_input %a_0: f32[s0]
  user_input %k: f32[s2]
  user_input %n: int
  forward ("x", "a_0", "d", "n")
  in_spec tuple(tuple(*, *, dict("k": *), *), dict())
  out_spec *
  %y: f32[s0, s1] = aten::relu(%x)
  return %y
}`);

/** The nodes that the guards become. */
function nodes(...guards: readonly string[]): readonly string[] {
  const made = assertGuards(program, guards);
  expect(validate(made)).toEqual([]);
  const lines = print(made).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => /(_operator|math|torch|builtins)::|sym_size|_assert/.test(line));
}

it("assertGuards asserts what a file says of arithmetic with sizes", () => {
  expect(
    nodes("((3*L['x'].size()[0]) / 4) == 1.5", "2 + L['a'][0].size()[0] // 2 - 1 >= L['d']['k'].size()[0] ** 2"),
  ).toMatchInlineSnapshot(`
    [
      "%sym_size: int = aten::sym_size.int(%x, dim=0)",
      "%mul: int = _operator::mul(a=3, b=%sym_size)",
      "%truediv: float = _operator::truediv(a=%mul, b=4)",
      "%eq: bool = _operator::eq(a=%truediv, b=1.5)",
      "guard: aten::_assert_scalar(%eq, assert_msg="Guard failed: ((3*x.size()[0]) / 4) == 1.5")",
      "%sym_size_1: int = aten::sym_size.int(%a_0, dim=0)",
      "%floordiv: int = _operator::floordiv(a=%sym_size_1, b=2)",
      "%add: int = _operator::add(a=2, b=%floordiv)",
      "%sub: int = _operator::sub(a=%add, b=1)",
      "%sym_size_2: int = aten::sym_size.int(%k, dim=0)",
      "%pow: int = _operator::pow(a=%sym_size_2, b=2)",
      "%ge: bool = _operator::ge(a=%sub, b=%pow)",
      "guard_1: aten::_assert_scalar(%ge, assert_msg="Guard failed: 2 + a[0].size()[0] // 2 - 1 >= d['k'].size()[0] ** 2")",
    ]
  `);
});

it("assertGuards joins powers from the right, before a sign", () => {
  expect(nodes("-L['x'].size()[0] ** 2 ** 3 != 5").slice(1, 4)).toEqual([
    "%pow: int = _operator::pow(a=2, b=3)",
    "%pow_1: int = _operator::pow(a=%sym_size, b=%pow)",
    "%sub: int = _operator::sub(a=0, b=%pow_1)",
  ]);
});

it("assertGuards asserts that sizes differ for which the module would do something else", () => {
  expect(
    nodes("L['x'].size()[0] != L['x'].size()[1]", "max(1, L['x'].size()[0]) != 150").map(
      (line) => line.split(" = ")[1],
    ),
  ).toEqual([
    "aten::sym_size.int(%x, dim=0)",
    "aten::sym_size.int(%x, dim=1)",
    "_operator::ne(a=%sym_size, b=%sym_size_1)",
    undefined,
    "aten::sym_size.int(%x, dim=0)",
    "torch::sym_max(a=1, b=%sym_size_2)",
    "_operator::ne(a=%sym_max, b=150)",
    undefined,
  ]);
});

it("assertGuards asserts which of two sizes is larger, and what the largest of several is", () => {
  const found = nodes(
    "L['x'].size()[0] <= L['x'].size()[1]",
    "max(L['x'].size()[0], L['x'].size()[1], L['a'][0].size()[0]) == 5",
  );
  expect(found.filter((line) => !line.includes("sym_size."))).toEqual([
    "%le: bool = _operator::le(a=%sym_size, b=%sym_size_1)",
    'guard: aten::_assert_scalar(%le, assert_msg="Guard failed: x.size()[0] <= x.size()[1]")',
    "%sym_max: int = torch::sym_max(a=%sym_size_2, b=%sym_size_3)",
    "%sym_max_1: int = torch::sym_max(a=%sym_max, b=%sym_size_4)",
    "%eq: bool = _operator::eq(a=%sym_max_1, b=5)",
    'guard_1: aten::_assert_scalar(%eq, assert_msg="Guard failed: max(x.size()[0], x.size()[1], a[0].size()[0]) == 5")',
  ]);
});

it("assertGuards asserts what functions make of sizes", () => {
  const found = nodes(
    "math.trunc(0.5*torch.sym_float(L['x'].size()[0])) < 5",
    "math.ceil(L['x'].size()[0] / 3) <= 4",
    "round(L['x'].size()[0] / 3) == math.floor(1.5)",
  );
  expect(found.filter((line) => !/sym_size\.|guard/.test(line))).toEqual([
    "%sym_float: float = torch::sym_float(a=%sym_size)",
    "%mul: float = _operator::mul(a=0.5, b=%sym_float)",
    "%trunc: int = math::trunc(x=%mul)",
    "%lt: bool = _operator::lt(a=%trunc, b=5)",
    "%truediv: float = _operator::truediv(a=%sym_size_1, b=3)",
    "%ceil: int = math::ceil(x=%truediv)",
    "%le: bool = _operator::le(a=%ceil, b=4)",
    "%truediv_1: float = _operator::truediv(a=%sym_size_2, b=3)",
    "%round: int = builtins::round(number=%truediv_1)",
    "%floor: int = math::floor(x=1.5)",
    "%eq: bool = _operator::eq(a=%round, b=%floor)",
  ]);
});

it("assertGuards asserts each part of a conjunction, and what is not a size may be 0 or 1", () => {
  const found = nodes(
    "L['n'] >= 0 and L['n'] <= L['x'].size()[0]",
    "L['n'] != 1",
    "6*L['n'] >= 2",
    "(L['x'].size()[0] % 2) != 0",
  );
  expect(found.filter((line) => !/sym_size\.|guard/.test(line))).toEqual([
    "%le: bool = _operator::le(a=%n, b=%sym_size)",
    "%ne: bool = _operator::ne(a=%n, b=1)",
    "%mul: int = _operator::mul(a=6, b=%n)",
    "%ge: bool = _operator::ge(a=%mul, b=2)",
    "%mod: int = _operator::mod(a=%sym_size_1, b=2)",
    "%ne_1: bool = _operator::ne(a=%mod, b=0)",
  ]);
});

it("assertGuards leaves out guards of single sizes, guards that a size is not one, and what it does not know", () => {
  expect(
    nodes(
      "L['x'].size()[0] <= 32",
      "L['n'] > 4",
      "L['n'] > 4 or L['n'] < L['x'].size()[0]",
      "L['x'].size()[0] == L['a'][0].size()[0]",
      "L['x'].size()[0] // 2 != 1",
      "L['x'].size()[0] // 2 >= 2",
      "L['x'].size()[0] + 1 > 1",
      "L['other'] == 2 * 4",
      "L['z'].size()[0] + 1 == 4",
      "Mod(L['x'].size()[0], 2) + 1 == 4",
      "max(L['x'].size()[0], 2 == 4",
      "min(L['x'].size()[0]) == 4",
      "(L['x'].size()[0] + 1 == 4",
      "L['x'].size()[0] + == 4",
      "2 <= L['x'].size()[0] * 2 <= 8",
      "math.trunc(0.5 * L['x'].size()[0]) != 1",
      "math.trunc(0.5 * L['x'].size()[0])",
      "math.log2(L['x'].size()[0]) < 4",
      "round(L['x'].size()[0] / 2, 1) < 4",
    ),
  ).toEqual([]);
});
