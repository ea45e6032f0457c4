import { type Program, parse, print, validate } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, expect, it } from "vitest";
import { grad } from "./index.ts";
import { recompute } from "./recompute.ts";
import { runProgram } from "./run-reference.test-helper.ts";

const registry = createRegistry({ sets: [aten] });

/** The nodes of a program whose first `forward` ones are the forward part, as text. */
function nodesAfter(body: string, forward: number): readonly string[] {
  const program = parse(`program {\n${body}\n}`);
  const result: Program = { ...program, graph: recompute(program.graph, forward, registry) };
  expect(validate(result)).toEqual([]);
  return print(result, { origins: false })
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("%"))
    .map((line) => line.replace(/: f32\[[\d, ]*\]/, ""));
}

describe("recompute", () => {
  it("computes an activation again before its first reader, if its operand is kept until then", () => {
    const body = `user_input %x: f32[4, 4]
      parameter "w" = %w: f32[4, 4]
      %a: f32[4, 4] = aten::mm(%x, mat2=%w)
      %b: f32[4, 4] = aten::gelu(%a)
      %c: f32[4, 4] = aten::mm(%b, mat2=%w)
      %g: f32[4, 4] = aten::mm(%c, mat2=%b)
      %h: f32[4, 4] = aten::gelu_backward(grad_output=%g, self=%a)
      return %h`;
    expect(nodesAfter(body, 3)).toEqual([
      "%a = aten::mm(%x, mat2=%w)",
      "%b = aten::gelu(%a)",
      "%c = aten::mm(%b, mat2=%w)",
      "%b_again = aten::gelu(%a)",
      "%g = aten::mm(%c, mat2=%b_again)",
      "%h = aten::gelu_backward(grad_output=%g, self=%a)",
    ]);
    // Its operand is not read after that: to keep it would take as much memory.
    const other = body.replace("gelu_backward(grad_output=%g, self=%a)", "tanh_backward(grad_output=%g, output=%b)");
    expect(nodesAfter(other, 3).filter((line) => line.includes("again"))).toEqual([]);
  });

  it("computes chains again, views with them, and nothing that is returned or drawn", () => {
    const body = `user_input %x: f32[4]
      %s: f32[4] = aten::silu(%x)
      %p: f32[4] = aten::mul.Tensor(%s, other=%x)
      %v: f32[2, 2] = aten::reshape(%p, shape=[2, 2])
      %k: bool[4] = aten::gt.Scalar(%x, other=0)
      %r: f32[4] = aten::where.self(condition=%k, self=%x, other=%s)
      %n: f32[4] = aten::bernoulli(%x)
      %o: f32[2, 2] = aten::mm(%v, mat2=%v)
      %g: f32[2, 2] = aten::mm(%o, mat2=%v)
      %h: f32[4] = aten::mul.Tensor(%s, other=%n)
      %i: f32[4] = aten::silu_backward(grad_output=%h, self=%x)
      %j: f32[4] = aten::where.self(condition=%k, self=%r, other=%i)
      return %g, %j, %r`;
    expect(nodesAfter(body, 7).slice(7)).toEqual([
      "%s_again = aten::silu(%x)",
      "%p_again = aten::mul.Tensor(%s_again, other=%x)",
      "%v_again = aten::reshape(%p_again, shape=[2, 2])",
      "%g = aten::mm(%o, mat2=%v_again)",
      "%h = aten::mul.Tensor(%s_again, other=%n)",
      "%i = aten::silu_backward(grad_output=%h, self=%x)",
      "%j = aten::where.self(condition=%k, self=%r, other=%i)",
    ]);
  });

  it("keeps what is compared", () => {
    const body = (test: string): string => `user_input %x: f32[4]
      %e: f32[4] = aten::erf(%x)
      %m: f32[4] = aten::cumsum(%e, dim=0)
      %t: f32[4] = aten::mul.Tensor(%e, other=2.0)
      %q: ${test}
      %g: f32[4] = aten::where.self(condition=%q, self=%x, other=%m)
      return %g`;
    const again = (test: string): readonly string[] =>
      nodesAfter(body(test), 2).filter((line) => line.startsWith("%e_again"));
    expect(again("bool[4] = aten::eq.Tensor(%t, other=%m)")).toEqual([]);
    expect(again("f32[4] = aten::minimum(%t, other=%m)")).toHaveLength(1);
  });

  it("leaves the numbers of a gradient as they are", async () => {
    const program = parse(`program {
      parameter "w" = %w: f64[3, 3]
      user_input %x: f64[2, 3]
      %a: f64[2, 3] = aten::mm(%x, mat2=%w)
      %b: f64[2, 3] = aten::gelu(%a)
      %c: f64[2, 3] = aten::mm(%b, mat2=%w)
      %d: f64[2, 3] = aten::silu(%c)
      %l: f64[] = aten::sum(%d)
      return %l
    }`);
    const inputs = { x: [1, 2, 3, -1, 0, 1], w: [0.1, -0.4, 0.3, 0.7, 0.2, -0.5, 0.6, -0.2, 0.9] };
    const [small, plain] = [await grad(program), await grad(program, { recompute: false })];
    expect(small.graph.nodes.length).toBeGreaterThan(plain.graph.nodes.length);
    expect(runProgram(small, inputs)).toEqual(runProgram(plain, inputs));
  });
});
