import type { Program } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { fuseEpilogues } from "./fuse-epilogues.ts";
import { lowerTransposedConvolutions } from "./lower-transposed-convolution.ts";
import { bare, cpu, program, text } from "./passes.test-helper.ts";

describe("lowerTransposedConvolutions", () => {
  const target = cpu(["pt2::transposed_conv"]);
  const image = (weight: string, args: string, dtype = "f32"): Program =>
    program(`parameter "k" = %k: ${dtype}${weight}
      user_input %x: ${dtype}[s0, 6, 8, 8]
      %y: ${dtype}[s0, 9, 16, 16] = aten::conv_transpose2d.input(input=%x, weight=%k${args})
      return %y`);

  it("packs the weight, and takes the activation that follows", () => {
    const before = program(`parameter "k" = %k: f32[6, 9, 4, 4]
      parameter "b" = %b: f32[9]
      user_input %x: f32[s0, 6, 8, 8]
      %y: f32[s0, 9, 16, 16] = aten::conv_transpose2d.input(input=%x, weight=%k, bias=%b, stride=[2, 2], padding=[1, 1])
      %z: f32[s0, 9, 16, 16] = aten::relu(%y)
      return %z`);
    expect(text(fuseEpilogues(lowerTransposedConvolutions(before, target), target))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 9, 4, 4]
      parameter "b" = %b: f32[9]
      user_input %x: f32[s0, 6, 8, 8]
      %pack_transposed_conv_weight: f32[6, 9, 4, 4] = pt2::pack_transposed_conv_weight(weight=%k)
      %transposed_conv_1: f32[s0, 9, 16, 16] = pt2::transposed_conv(x=%x, weight=%pack_transposed_conv_weight, out_channels=9, kernel=[4, 4], bias=%b, stride=[2, 2], padding=[1, 1], output_padding=[0, 0], dilation=[1, 1], attr="relu", scalars=[], algorithm="")
      return %transposed_conv_1"
    `);
  });

  it("takes sequences and videos", () => {
    const before = program(`parameter "k" = %k: f32[6, 9, 16]
      user_input %x: f32[1, 6, 40]
      user_input %v: f32[1, 6, 4, 5, 6]
      parameter "l" = %l: f32[6, 9, 2, 2, 2]
      %y: f32[1, 9, 320] = aten::conv_transpose1d(input=%x, weight=%k, stride=[8], padding=[4])
      %z: f32[1, 9, 8, 10, 12] = aten::conv_transpose3d.input(input=%v, weight=%l, stride=[2])
      return %y, %z`);
    expect(text(lowerTransposedConvolutions(before, target))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 9, 16]
      user_input %x: f32[1, 6, 40]
      user_input %v: f32[1, 6, 4, 5, 6]
      parameter "l" = %l: f32[6, 9, 2, 2, 2]
      %pack_transposed_conv_weight: f32[6, 9, 16] = pt2::pack_transposed_conv_weight(weight=%k)
      %transposed_conv: f32[1, 9, 320] = pt2::transposed_conv(x=%x, weight=%pack_transposed_conv_weight, out_channels=9, kernel=[16], bias=none, stride=[8], padding=[4], output_padding=[0], dilation=[1], attr="none", scalars=[], algorithm="")
      %pack_transposed_conv_weight_1: f32[6, 9, 2, 2, 2] = pt2::pack_transposed_conv_weight(weight=%l)
      %transposed_conv_1: f32[1, 9, 8, 10, 12] = pt2::transposed_conv(x=%v, weight=%pack_transposed_conv_weight_1, out_channels=9, kernel=[2, 2, 2], bias=none, stride=[2, 2, 2], padding=[0, 0, 0], output_padding=[0, 0, 0], dilation=[1, 1, 1], attr="none", scalars=[], algorithm="")
      return %transposed_conv, %transposed_conv_1"
    `);
  });

  it.each([
    ["groups", image("[6, 3, 4, 4]", ", stride=[2, 2], padding=[1, 1], groups=3")],
    ["another dtype", image("[6, 9, 4, 4]", ", stride=[2, 2], padding=[1, 1]", "f64")],
    ["strides beyond what the kernel takes", image("[6, 9, 4, 4]", ", stride=[5000, 2], padding=[1, 1]")],
    ["a weight without elements", image("[6, 9, 0, 4]", ", stride=[2, 2], padding=[1, 1]")],
    [
      "weights that are not fixed",
      program(`user_input %k: f32[6, 9, 4, 4]
        user_input %x: f32[1, 6, 8, 8]
        %y: f32[1, 9, 11, 11] = aten::conv_transpose2d.input(input=%x, weight=%k)
        return %y`),
    ],
  ])("leaves %s", (_, before) => {
    expect(lowerTransposedConvolutions(before, target)).toBe(before);
  });

  it("leaves everything where there is no such kernel", () => {
    const before = image("[6, 9, 4, 4]", ", stride=[2, 2], padding=[1, 1]");
    expect(lowerTransposedConvolutions(before, bare)).toBe(before);
  });
});
