import { describe, expect, it } from "vitest";
import { recompose } from "./recompose.ts";
import { target as anyTarget, program, text } from "./rewrites.test-helper.ts";

const target = anyTarget();

describe("recompose", () => {
  it("recognizes hardswish, hardsigmoid and silu", () => {
    const result = recompose(
      program(`user_input %x: f32[4]
      %a: f32[4] = aten::add.Tensor(%x, other=3)
      %b: f32[4] = aten::clamp(%a, min=0)
      %c: f32[4] = aten::clamp(%b, min=none, max=6)
      %d: f32[4] = aten::mul.Tensor(%x, other=%c)
      %hardswish: f32[4] = aten::div.Tensor(%d, other=6)
      %e: f32[4] = aten::add.Tensor(%x, other=3)
      %f: f32[4] = aten::clamp(%e, min=0, max=6)
      %hardsigmoid: f32[4] = aten::div.Tensor(%f, other=6)
      %s: f32[4] = aten::sigmoid(%x)
      %silu: f32[4] = aten::mul.Tensor(%s, other=%x)
      return %hardswish, %hardsigmoid, %silu`),
      target,
    );
    expect(text(result)).toMatchInlineSnapshot(`
      "user_input %x: f32[4]
      %hardswish_1: f32[4] = aten::hardswish(%x)
      %hardsigmoid_1: f32[4] = aten::hardsigmoid(%x)
      %silu_1: f32[4] = aten::silu(%x)
      return %hardswish_1, %hardsigmoid_1, %silu_1"
    `);
  });

  it("replaces max_pool2d_with_indices by max_pool2d if nothing reads the indices", () => {
    const pooled = (result: string): string => `user_input %x: f32[1, 2, 4, 4]
      %y: f32[1, 2, 2, 2], %i: i64[1, 2, 2, 2] = aten::max_pool2d_with_indices(%x, kernel_size=[2, 2])
      return ${result}`;
    expect(text(recompose(program(pooled("%y")), target))).toMatchInlineSnapshot(`
      "user_input %x: f32[1, 2, 4, 4]
      %max_pool2d: f32[1, 2, 2, 2] = aten::max_pool2d(%x, kernel_size=[2, 2])
      return %max_pool2d"
    `);
    const before = program(pooled("%y, %i"));
    expect(recompose(before, target)).toBe(before);
  });

  it("keeps formulas that only resemble these activations", () => {
    const before = program(`user_input %x: f32[4]
      user_input %z: f32[4]
      user_input %n: i64[4]
      %a: f32[4] = aten::add.Tensor(%x, other=3)
      %b: f32[4] = aten::clamp(%a, min=0, max=5)
      %c: f32[4] = aten::div.Tensor(%b, other=6)
      %d: f32[4] = aten::clamp(%a, min=0, max=6)
      %e: f32[4] = aten::mul.Tensor(%z, other=%d)
      %f: f32[4] = aten::div.Tensor(%e, other=6)
      %g: f32[4] = aten::sigmoid(%z)
      %h: f32[4] = aten::mul.Tensor(%x, other=%g)
      %i: f32[4] = aten::sigmoid(%n)
      %j: f32[4] = aten::mul.Tensor(%n, other=%i)
      return %c, %f, %h, %j`);
    expect(recompose(before, target)).toBe(before);
  });
});
