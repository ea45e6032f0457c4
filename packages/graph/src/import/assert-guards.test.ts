import { expect, it } from "vitest";
import { parse } from "../text/parse-program.ts";
import { print } from "../text/print-program.ts";
import { validate } from "../validate/validate.ts";
import { assertGuards } from "./assert-guards.ts";

const program = parse(`program {
  user_input %x: f32[s0, s1]
  user_input %a_0: f32[s0]
  user_input %k: f32[s2]
  user_input %n: int(s3)
  constant_input "c" = 4
  range s0 = [2, 32]
  range s1 = [3]
  range s3 = [0]
  forward ("x", "a_0", "d", "n", "c")
  in_spec tuple(tuple(*, *, dict("k": *), *, *), dict())
  out_spec *
  %y: f32[s0, s1] = aten::relu(%x)
  return %y
}`);

const SIZES = ["%sym_size: int = aten::sym_size.int(%x, dim=0)", "%sym_size_1: int = aten::sym_size.int(%x, dim=1)"];

/** The nodes that the guards become, without those of {@link SIZES} and the assertions. */
function nodes(...guards: readonly string[]): readonly string[] {
  const made = assertGuards(program, guards);
  expect(validate(made)).toEqual([]);
  const lines = print(made).split("\n");
  return lines
    .map((line) => line.trim())
    .filter((line) => /(_operator|math|torch|builtins)::|sym_size|_assert/.test(line) && !SIZES.includes(line));
}

function conditions(...guards: readonly string[]): readonly string[] {
  return nodes(...guards).filter((line) => !line.startsWith("guard"));
}

it("assertGuards asserts what a file says of arithmetic with sizes", () => {
  expect(
    nodes("((3*L['x'].size()[0]) / 4) == 1.5", "2 + L['a'][0].size()[0] // 2 - 1 >= L['d']['k'].size()[0] ** 2"),
  ).toMatchInlineSnapshot(`
    [
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
  expect(conditions("-L['x'].size()[0] ** 2 ** 3 != 5")).toEqual([
    "%pow: int = _operator::pow(a=2, b=3)",
    "%pow_1: int = _operator::pow(a=%sym_size, b=%pow)",
    "%neg: int = _operator::neg(a=%pow_1)",
    "%ne: bool = _operator::ne(a=%neg, b=5)",
  ]);
});

it("assertGuards asserts that sizes differ for which the module would do something else", () => {
  expect(conditions("L['x'].size()[0] != L['x'].size()[1]", "max(1, L['x'].size()[0]) != 150")).toEqual([
    "%ne: bool = _operator::ne(a=%sym_size, b=%sym_size_1)",
    "%sym_max: int = torch::sym_max(a=1, b=%sym_size)",
    "%ne_1: bool = _operator::ne(a=%sym_max, b=150)",
  ]);
});

it("assertGuards asserts that what follows from a size is not 0 or 1, which the module may treat in another way", () => {
  expect(conditions("(L['x'].size()[0] // 2) != 1", "(-3) + L['x'].size()[0] >= 2")).toEqual([
    "%floordiv: int = _operator::floordiv(a=%sym_size, b=2)",
    "%ne: bool = _operator::ne(a=%floordiv, b=1)",
    "%add: int = _operator::add(a=-3, b=%sym_size)",
    "%ge: bool = _operator::ge(a=%add, b=2)",
  ]);
});

it("assertGuards computes once what several guards say", () => {
  const twice = "L['x'].size()[0] <= L['x'].size()[1]";
  expect(nodes(twice, "max(L['x'].size()[0], L['x'].size()[1], 3) == 5", twice)).toEqual([
    "%le: bool = _operator::le(a=%sym_size, b=%sym_size_1)",
    'guard: aten::_assert_scalar(%le, assert_msg="Guard failed: x.size()[0] <= x.size()[1]")',
    "%sym_max: int = torch::sym_max(a=%sym_size, b=%sym_size_1)",
    "%sym_max_1: int = torch::sym_max(a=%sym_max, b=3)",
    "%eq: bool = _operator::eq(a=%sym_max_1, b=5)",
    'guard_1: aten::_assert_scalar(%eq, assert_msg="Guard failed: max(x.size()[0], x.size()[1], 3) == 5")',
  ]);
});

it("assertGuards asserts disjunctions, conjunctions, negations and choices as wholes", () => {
  expect(
    conditions(
      "L['n'] > 7 or L['n'] > 3 and L['n'] < 5",
      "not (L['n'] > 9 or L['n'] < 5)",
      "(L['n'] if L['n'] > 7 else 2.0) == 1 or True",
    ),
  ).toMatchInlineSnapshot(`
    [
      "%gt: bool = _operator::gt(a=%n, b=7)",
      "%gt_1: bool = _operator::gt(a=%n, b=3)",
      "%lt: bool = _operator::lt(a=%n, b=5)",
      "%and: bool = _operator::and_(a=%gt_1, b=%lt)",
      "%or: bool = _operator::or_(a=%gt, b=%and)",
      "%gt_2: bool = _operator::gt(a=%n, b=9)",
      "%or_1: bool = _operator::or_(a=%gt_2, b=%lt)",
      "%sym_not: bool = torch::sym_not(a=%or_1)",
      "%sym_ite: float = torch::sym_ite(b=%gt, t=%n, f=2.0)",
      "%eq: bool = _operator::eq(a=%sym_ite, b=1)",
      "%or_2: bool = _operator::or_(a=%eq, b=true)",
    ]
  `);
});

it("assertGuards asserts what operators make of bits, which bind closer than comparisons", () => {
  expect(conditions("L['n'] & (-1) + L['n'] | 6 ^ L['n'] << 2 >> 1 == 0 <= 8 % L['n']")).toMatchInlineSnapshot(`
    [
      "%add: int = _operator::add(a=-1, b=%n)",
      "%and: int = _operator::and_(a=%n, b=%add)",
      "%lshift: int = _operator::lshift(a=%n, b=2)",
      "%rshift: int = _operator::rshift(a=%lshift, b=1)",
      "%or: int = _operator::or_(a=6, b=%rshift)",
      "%and_1: int = _operator::and_(a=6, b=%rshift)",
      "%sub: int = _operator::sub(a=%or, b=%and_1)",
      "%or_1: int = _operator::or_(a=%and, b=%sub)",
      "%eq: bool = _operator::eq(a=%or_1, b=0)",
      "%mod: int = _operator::mod(a=8, b=%n)",
      "%le: bool = _operator::le(a=0, b=%mod)",
      "%and_2: bool = _operator::and_(a=%eq, b=%le)",
    ]
  `);
});

it("assertGuards asserts what functions make of sizes", () => {
  expect(
    conditions(
      "math.trunc(0.5*torch.sym_float(L['x'].size()[0])) < 5",
      "torch._sym_sqrt(torch.sym_float(L['x'].size()[0])) > 2.5",
      "math.floor(math.log2(torch.sym_float(L['n']))) == 1e-05",
      "round(L['x'].size()[0] / 3, 1) == round(L['n'] / 3)",
      "abs(L['n']) < math.inf",
    ),
  ).toMatchInlineSnapshot(`
    [
      "%sym_float: float = torch::sym_float(a=%sym_size)",
      "%mul: float = _operator::mul(a=0.5, b=%sym_float)",
      "%trunc: int = math::trunc(x=%mul)",
      "%lt: bool = _operator::lt(a=%trunc, b=5)",
      "%sym_sqrt: float = torch::_sym_sqrt(a=%sym_float)",
      "%gt: bool = _operator::gt(a=%sym_sqrt, b=2.5)",
      "%sym_float_1: float = torch::sym_float(a=%n)",
      "%log2: float = math::log2(x=%sym_float_1)",
      "%floor: int = math::floor(x=%log2)",
      "%eq: bool = _operator::eq(a=%floor, b=0.00001)",
      "%truediv: float = _operator::truediv(a=%sym_size, b=3)",
      "%round: float = builtins::round(number=%truediv, ndigits=1)",
      "%truediv_1: float = _operator::truediv(a=%n, b=3)",
      "%round_1: int = builtins::round(number=%truediv_1)",
      "%eq_1: bool = _operator::eq(a=%round, b=%round_1)",
      "%abs: int = _operator::abs(a=%n)",
      "%lt_1: bool = _operator::lt(a=%abs, b=inf)",
    ]
  `);
});

it("assertGuards finds the inputs of programs that Dynamo traced by their numbers, and those that are fixed", () => {
  const traced = "L['flat_args'][3] > L['flat_args'][2].size()[0] + L['flat_args'][4]";
  expect(conditions(traced)).toEqual(conditions("L['n'] > L['d']['k'].size()[0] + L['c']"));
  expect(conditions(traced)).toEqual([
    "%sym_size: int = aten::sym_size.int(%k, dim=0)",
    "%add: int = _operator::add(a=%sym_size, b=4)",
    "%gt: bool = _operator::gt(a=%n, b=%add)",
  ]);
});

it("assertGuards finds the tensors of an object that is unfolded by their numbers", () => {
  const cached = parse(`program {
    user_input %k0: f32[s0]
    user_input %v0: f32[s1]
    forward ("cache")
    in_spec tuple(tuple(node "Cache" "{\\"fields\\":[\\"layers\\"],\\"constants\\":[]}" (list(dict("k": *, "v": *)))), dict())
    out_spec *
    %y: f32[s0] = aten::relu(%k0)
    return %y
  }`);
  const text = print(assertGuards(cached, ["L['cache'][1].size()[0] != 3"]));
  expect(text).toContain("aten::sym_size.int(%v0, dim=0)");
});

it("assertGuards leaves out what types and ranges say, and what tensors have in memory alone", () => {
  expect(
    nodes(
      "L['x'].size()[0] <= 32",
      "L['x'].size()[0] < 33",
      "L['x'].size()[1] > 2",
      "L['x'].size()[1] >= 3",
      "L['x'].size()[0] == L['a'][0].size()[0]",
      "L['x'].stride()[0] > 4",
      "L['x'].storage_offset() + L['n'] == 0",
      "L['x']._base.size()[1] != 3",
    ),
  ).toEqual([]);
  // Lower bounds up to 2 are in the ranges of all sizes.
  expect(conditions("L['x'].size()[0] <= 31", "L['x'].size()[1] > 3", "L['n'] >= 0", "L['x'].size()[0] >= 2")).toEqual([
    "%le: bool = _operator::le(a=%sym_size, b=31)",
    "%gt: bool = _operator::gt(a=%sym_size_1, b=3)",
    "%ge: bool = _operator::ge(a=%n, b=0)",
    "%ge_1: bool = _operator::ge(a=%sym_size, b=2)",
  ]);
});

it.each([
  ["L['other'] == 2 * 4", "there is no input `other`"],
  ["Mod(L['x'].size()[0], 2) + 1 == 4", "`Mod` is not known"],
  ["max(L['x'].size()[0], 2 == 4", "expected `)`"],
  ["min(L['x'].size()[0]) == 4", "`min` is not known"],
  ["L['x'].size()[0] + == 4", "expected a name"],
  ["L['x'].numel() == 4", "`numel` is not known"],
  ["L['x'].size()[0] = 4", "` = 4` is not known"],
  ["L['x'].size()[0] == 4 5", "expected the end before `5`"],
  ["math.trunc(1, 2) != 1", "`math.trunc` is not known"],
  [`${"(".repeat(9999)}`, "nested deeper"],
  [`${"-".repeat(9999)}`, "nested deeper"],
  [`${"2 ** ".repeat(9999)}`, "nested deeper"],
  [`${"not ".repeat(9999)}`, "nested deeper"],
])("assertGuards refuses a guard that it cannot check: %.40s", (guard, why) => {
  expect(() => assertGuards(program, [guard])).toThrow(
    expect.objectContaining({ code: "graph.guard", what: expect.stringContaining(why) }),
  );
});
