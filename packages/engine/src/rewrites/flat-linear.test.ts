import { describe, expect, it } from "vitest";
import { unflattenLinears } from "./flat-linear.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

describe("unflattenLinears", () => {
  it("removes the reshapes around a linear layer when the second one restores the leading dimensions", () => {
    const before = program(`parameter "w" = %w: f32[5, 4]
      user_input %x: f32[2, 3, 4]
      %f: f32[6, 4] = aten::reshape(%x, shape=[-1, 4])
      %l: f32[6, 5] = aten::linear(input=%f, weight=%w)
      %y: f32[2, 3, 5] = aten::reshape(%l, shape=[2, 3, 5])
      return %y`);
    expect(text(unflattenLinears(before, target()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[5, 4]
      user_input %x: f32[2, 3, 4]
      %linear: f32[2, 3, 5] = aten::linear(input=%x, weight=%w, bias=none)
      return %linear"
    `);
  });

  it("keeps reshapes that make another shape, or between which another node reads the product", () => {
    const before = program(`parameter "w" = %w: f32[5, 4]
      user_input %x: f32[2, 3, 4]
      %f: f32[6, 4] = aten::reshape(%x, shape=[-1, 4])
      %l: f32[6, 5] = aten::linear(input=%f, weight=%w)
      %y: f32[3, 2, 5] = aten::reshape(%l, shape=[3, 2, 5])
      %m: f32[6, 5] = aten::linear(input=%f, weight=%w)
      %z: f32[2, 3, 5] = aten::reshape(%m, shape=[2, 3, 5])
      return %y, %z, %m`);
    expect(unflattenLinears(before, target())).toBe(before);
  });
});
