import { describe, expect, it } from "vitest";
import { foldScales } from "./fold-scale.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const scaled = (scale: string): string => `parameter "w" = %w: f32[6, 4]
  parameter "b" = %b: f32[6]
  parameter "s" = %s: f32${scale}
  user_input %x: f32[1, 8, 8, 4]
  %l: f32[1, 8, 8, 6] = aten::linear(input=%x, weight=%w, bias=%b)
  %p: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::permute(%l, dims=[0, 3, 1, 2])
  %y: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::mul.Tensor(%s, other=%p)
  return %y`;

describe("foldScales", () => {
  it("folds a factor per channel into the weight of the layer before it", () => {
    expect(text(foldScales(program(scaled("[6, 1, 1]")), target()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[6, 4]
      parameter "b" = %b: f32[6]
      parameter "s" = %s: f32[6, 1, 1]
      user_input %x: f32[1, 8, 8, 4]
      %reshape: f32[6] = aten::reshape(%s, shape=[-1])
      %reshape_1: f32[6, 1] = aten::reshape(%reshape, shape=[-1, 1])
      %mul: f32[6, 4] = aten::mul.Tensor(%w, other=%reshape_1)
      %mul_1: f32[6] = aten::mul.Tensor(%b, other=%reshape)
      %linear: f32[1, 8, 8, 6] = aten::linear(input=%x, weight=%mul, bias=%mul_1)
      %permute: f32[1, 6, 8, 8]{strides=[384, 1, 48, 6]} = aten::permute(%linear, dims=[0, 3, 1, 2])
      return %permute"
    `);
  });

  it("keeps factors of another dtype, which change that of the result", () => {
    for (const dtype of ["f64", "f16", "c64", "i64"]) {
      const before = program(scaled("[6, 1, 1]").replace("%s: f32", `%s: ${dtype}`));
      expect(foldScales(before, target())).toBe(before);
    }
  });

  it("keeps factors of which there is not one per channel", () => {
    for (const shape of ["[8]", "[6, 8, 8]", "[1, 1, 1]"]) {
      const before = program(scaled(shape));
      expect(foldScales(before, target())).toBe(before);
    }
  });
});
