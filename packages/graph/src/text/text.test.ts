import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { parse, parseGraph } from "./parse-program.ts";
import { print, printGraph } from "./print-program.ts";

const EVERYTHING = `program "TRAINING" torch "2.13.0" {
  forward(x, flag)
  range s0 = [1, 64]
  range "s0 + 1" = [2, none]
  named_tuple "my.Pair"(left, right)
  in_spec tuple(tuple(*, *), dict("k": *, 3: list(*)))
  out_spec node "collections.namedtuple" "\\"my.Pair\\"" (*, *)
  parameter "l.weight" = %p: f32[4, 3]{strides=[1, 4], offset=5, device=cuda:0, grad}
  buffer "count" = %b: i64[]
  transient_buffer "mask" = %m: bool[2*s0]
  tensor_constant "c" = %c: f8_e5m2[0, 5]
  custom_obj "o" = %o: object "torch.classes.My"
  token %t
  user_input %x: f32[s0, 3]
  user_input %n: int(s0 + 1)
  user_input none
  constant_input "flag" = true
  %"odd name": bf16[2] = mylib::f.out(%x, ""=1, "a b"=2.0)  # "" <torch.nn.ReLU> (model.py:41, in forward) : "y = \\"q\\""
  split: [%u: f32[1], %v], none, %w: float(0.5*s0) = aten::split(%x, 9223372036854775807, kind="t") ; a comment
  check: aten::_assert(a=%n, b=[none, -1, inf, -inf, nan, -0.0, 1e-7])  # block.0 : "x"
  cond: %g: bool(s0 > 2) = higher_order::cond(%u, graph true_graph(%x: f32[1], none) {
    %r: f32[1] = aten::relu(%x)  # (f.py:1)
    return %r, 3
  }, [%x, complex(1.0, -2.5)], &aten::add.Tensor, {"k": device(cpu), "l": device(cuda:1)}, kw=torch.float32)
  %z: f32[] = aten::to(%u, layout=torch.strided, memory_format=torch.preserve_format)
  return %z -> buffer_mutation "count", %g, none -> loss_output
}
`.replace("%x, 9223372036854775807", "%x, size=9223372036854775807");

describe("the text form", () => {
  it.each(FIXTURES)("the text form round-trips: %s", async (path) => {
    const program = await fixture(path);
    const text = print(program);
    expect(parse(text)).toEqual(program);
    expect(print(parse(text))).toBe(text);
    expect(parseGraph(printGraph(program.graph))).toEqual(program.graph);
  });

  it("the text form round-trips every construct", () => {
    const program = parse(EVERYTHING);
    expect(print(program)).toBe(EVERYTHING.replace(" ; a comment", ""));
    expect(parse(print(program))).toEqual(program);
    expect(parse(print(program, { origins: false })).graph.nodes.map(({ origin }) => origin)).toEqual([
      {},
      {},
      {},
      {},
      {},
    ]);
  });

  it("the text form reads like a program", async () => {
    const program = await fixture("torch-2.13/dynamic.pt2");
    const lines = print(program, { origins: false }).split("\n");
    expect(lines).toContain("  %mul: int(2*s27) = _operator::mul(a=%sym_size_int_3, b=2)");
    expect(lines).toContain(
      "  %reshape: f32[s23, 2*s27, 4] = aten::reshape(%linear, shape=[%sym_size_int_2, %mul, 4])",
    );
  });

  it.each([
    ["graph() {", "expected"],
    ["graph(%x: q32[1]) { return }", "is not a dtype"],
    ["graph() { aten::f() return }", "needs a name"],
    ["graph() { %a: f32[1] = aten::f(1, 2) return }", "needs a name"],
    ["graph() { return maybe }", "is not an argument"],
    ["graph() { return } graph", "end of the text"],
    [`graph() { return ${"graph() { return ".repeat(100)}`, "nested deeper"],
  ])("the parser rejects %j", (text, message) => {
    const expected = expect.objectContaining({ code: "graph.syntax", message: expect.stringContaining(message) });
    expect(() => parseGraph(text)).toThrow(expected);
  });
});
