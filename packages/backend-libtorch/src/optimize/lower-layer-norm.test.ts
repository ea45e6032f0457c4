import { describe, expect, it } from "vitest";
import { lowerLayerNorms } from "./lower-layer-norm.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("lowerLayerNorms", () => {
  const before = program(`parameter "g" = %g: f32[8]
    user_input %x: f32[4, 8]
    %y: f32[4, 8] = aten::layer_norm(input=%x, normalized_shape=[8], weight=%g)
    %z: f32[4, 8] = aten::layer_norm(input=%y, normalized_shape=[4, 8])
    return %z`);

  it("takes those over the last dimension", () => {
    expect(text(lowerLayerNorms(before, cpu(["pt2::layer_norm"])))).toMatchInlineSnapshot(`
      "parameter "g" = %g: f32[8]
      user_input %x: f32[4, 8]
      %layer_norm: f32[4, 8] = pt2::layer_norm(x=%x, weight=%g, bias=none, eps=0.00001)
      %z: f32[4, 8] = aten::layer_norm(input=%layer_norm, normalized_shape=[4, 8])
      return %z"
    `);
  });

  it("needs the kernel", () => {
    expect(lowerLayerNorms(before, cpu())).toBe(before);
  });
});
