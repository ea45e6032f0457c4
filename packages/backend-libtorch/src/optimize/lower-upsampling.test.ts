import { describe, expect, it } from "vitest";
import { lowerUpsampling } from "./lower-upsampling.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("lowerUpsampling", () => {
  const target = cpu(["pt2::pixel_strides"]);
  const resized = (type: string, call: string) =>
    program(`user_input %x: ${type}
      %y: f32[1, 32, 8, 8] = ${call}
      return %y`);

  it("lets PyTorch see that pixels lie one after the other", () => {
    const before = resized(
      "f32[1, 32, 4, 4]{strides=[512, 1, 128, 32]}",
      "aten::upsample_bilinear2d.vec(%x, output_size=[8, 8], align_corners=false, scale_factors=none)",
    );
    expect(text(lowerUpsampling(before, target))).toMatchInlineSnapshot(`
      "user_input %x: f32[1, 32, 4, 4]{strides=[512, 1, 128, 32]}
      %pixel_strides: f32[1, 32, 4, 4]{strides=[512, 1, 128, 32]} = pt2::pixel_strides(x=%x)
      %upsample_bilinear2d: f32[1, 32, 8, 8] = aten::upsample_bilinear2d.vec(%pixel_strides, output_size=[8, 8], align_corners=false, scale_factors=none)
      return %upsample_bilinear2d"
    `);
    expect(lowerUpsampling(before, cpu())).toBe(before);
  });

  it.each([
    ["few channels", "f32[1, 8, 4, 4]", "aten::upsample_nearest2d(%x, output_size=[8, 8])"],
    ["another dtype", "f64[1, 32, 4, 4]", "aten::upsample_nearest2d(%x, output_size=[8, 8])"],
    [
      "an op that takes as long in any order",
      "f32[1, 32, 4, 4]",
      "aten::upsample_bicubic2d(%x, output_size=[8, 8], align_corners=false)",
    ],
  ])("leaves %s", (_, type, call) => {
    const before = resized(type, call);
    expect(lowerUpsampling(before, target)).toBe(before);
  });
});
