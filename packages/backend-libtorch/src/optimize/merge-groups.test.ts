import { describe, expect, it } from "vitest";
import { fusePointwise } from "./fuse-pointwise.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const after = (body: string): string => text(fusePointwise(program(body), cpu(["pt2::pointwise"])));
const nodesOf = (body: string): readonly string[] =>
  after(body)
    .split("\n")
    .flatMap((line) => / = (\w+::[\w.]+)\(/.exec(line)?.[1] ?? []);

/** A layer's gradient: its activation is computed again for a product, and its slope follows. */
const GRADIENT = `user_input %x: f32[64, 64]
  user_input %g: f32[64, 64]
  user_input %w: f32[64, 64]
  %h: f32[64, 64] = aten::mm(%x, mat2=%w)
  %d: f32[64, 64] = aten::mm(%g, mat2=%w)
  %a: f32[64, 64] = aten::gelu(%h, approximate="tanh")
  %p: f32[64, 64] = aten::mm(%a, mat2=%g)
  %s: f32[64, 64] = aten::gelu_backward(grad_output=%d, self=%h, approximate="tanh")`;

describe("mergeGroups", () => {
  it("computes an activation and its slope together, where the activation is computed", () => {
    const body = `${GRADIENT}\n  return %p, %s`;
    expect(nodesOf(body)).toEqual(["aten::mm", "aten::mm", "pt2::pointwise", "aten::mm"]);
    expect(after(body)).toMatch(/\[%a: f32\[64, 64\], %s: f32\[64, 64\]\] = pt2::pointwise/);
  });

  it("leaves what is computed again where it is: kept, it would take memory in between", () => {
    const body = `user_input %x: f32[64, 64]
      user_input %w: f32[64, 64]
      %h: f32[64, 64] = aten::mm(%x, mat2=%w)
      %a: f32[64, 64] = aten::gelu(%h, approximate="tanh")
      %p: f32[64, 64] = aten::mm(%a, mat2=%w)
      %b: f32[64, 64] = aten::gelu(%h, approximate="tanh")
      %q: f32[64, 64] = aten::mm(%p, mat2=%b)
      return %q`;
    expect(nodesOf(body).filter((op) => op === "pt2::pointwise")).toHaveLength(2);
  });

  it("passes no node that writes, and takes nothing that is not there yet", () => {
    const written = GRADIENT.replace("  %s:", "  %z: f32[64, 64] = aten::add_.Tensor(%x, other=%g)\n  %s:");
    expect(nodesOf(`${written}\n  return %p, %s, %z`).filter((op) => op === "pt2::pointwise")).toHaveLength(2);
    const later = GRADIENT.replace(/\n.*%d:.*/, "").replace(
      "  %s:",
      "  %d: f32[64, 64] = aten::mm(%g, mat2=%p)\n  %s:",
    );
    expect(nodesOf(`${later}\n  return %p, %s`).filter((op) => op === "pt2::pointwise")).toHaveLength(2);
  });
});
