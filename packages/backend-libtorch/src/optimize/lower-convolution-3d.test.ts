import type { Program } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { fuseEpilogues } from "./fuse-epilogues.ts";
import { lowerConvolutions } from "./lower-convolution.ts";
import { lowerVideoConvolutions } from "./lower-convolution-3d.ts";
import { bare, cpu, program, text } from "./passes.test-helper.ts";

const OF_IMAGES = ["pt2::direct_conv2d", "pt2::conv1x1", "pt2::depthwise_conv2d"] as const;
const target = cpu([...OF_IMAGES, "pt2::direct_conv3d", "pt2::winograd_conv3d", "pt2::depthwise_conv3d"]);

const convolved = (weight: string, args = "", dtype = "f32", size = "6, 9, 10"): Program =>
  program(`parameter "k" = %k: ${dtype}${weight}
    user_input %x: ${dtype}[s0, 20, ${size}]
    %y: ${dtype}[s0, 20, ${size}] = aten::conv3d(input=%x, weight=%k${args})
    return %y`);

const lowered = (before: Program): string => text(lowerVideoConvolutions(lowerConvolutions(before, target), target));

describe("lowerVideoConvolutions", () => {
  it("reads the channels of all frames under a kernel, and takes what follows", () => {
    const before = program(`parameter "k" = %k: f32[20, 20, 3, 5, 5]
      parameter "b" = %b: f32[20]
      user_input %x: f32[s0, 20, 6, 9, 10]
      %y: f32[s0, 20, 6, 9, 10] = aten::conv3d(input=%x, weight=%k, bias=%b, padding=[1, 2, 2])
      %s: f32[s0, 20, 6, 9, 10] = aten::add.Tensor(%y, other=%x)
      %z: f32[s0, 20, 6, 9, 10] = aten::relu(%s)
      return %z`);
    expect(text(fuseEpilogues(lowerVideoConvolutions(before, target), target))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[20, 20, 3, 5, 5]
      parameter "b" = %b: f32[20]
      user_input %x: f32[s0, 20, 6, 9, 10]
      %permute: f32[20, 5, 5, 3, 20] = aten::permute(%k, dims=[0, 3, 4, 2, 1])
      %reshape: f32[20, 1500] = aten::reshape(%permute, shape=[20, 1500])
      %pack_conv_weight: f32[20, 1500] = pt2::pack_conv_weight(weight=%reshape, groups=1, width=10)
      %direct_conv3d_2: f32[s0, 20, 6, 9, 10] = pt2::direct_conv3d(x=%x, weight=%pack_conv_weight, out_channels=20, bias=%b, residual=%x, kernel=[3, 5, 5], stride=[1, 1, 1], padding=[1, 2, 2], dilation=[1, 1, 1], attr="relu", scalars=[], algorithm="")
      return %direct_conv3d_2"
    `);
  });

  it("transforms filters of 3x3 pixels", () => {
    expect(lowered(convolved("[20, 20, 3, 3, 3]", ", padding=1", "f32", "6, 11, 12"))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[20, 20, 3, 3, 3]
      user_input %x: f32[s0, 20, 6, 11, 12]
      %permute: f32[20, 3, 20, 3, 3] = aten::permute(%k, dims=[0, 2, 1, 3, 4])
      %reshape: f32[20, 60, 3, 3] = aten::reshape(%permute, shape=[20, 60, 3, 3])
      %pack_winograd_weight: f32[20, 60, 3, 3] = pt2::pack_winograd_weight(weight=%reshape)
      %winograd_conv3d: f32[s0, 20, 6, 11, 12] = pt2::winograd_conv3d(x=%x, weight=%pack_winograd_weight, out_channels=20, bias=none, residual=none, frames=3, frame_stride=1, padding=[1, 1, 1], frame_dilation=1, attr="none", scalars=[], algorithm="")
      return %winograd_conv3d"
    `);
    expect(lowered(convolved("[20, 20, 3, 3, 3]", ", padding=1, stride=[1, 2, 2]"))).toContain("pt2::direct_conv3d");
  });

  it("convolves each channel by itself", () => {
    expect(lowered(convolved("[20, 1, 3, 5, 3]", ", padding=[1, 2, 1], groups=20"))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[20, 1, 3, 5, 3]
      user_input %x: f32[s0, 20, 6, 9, 10]
      %permute: f32[20, 1, 5, 3, 3] = aten::permute(%k, dims=[0, 1, 3, 2, 4])
      %reshape: f32[20, 1, 15, 3] = aten::reshape(%permute, shape=[20, 1, 15, 3])
      %pack_depthwise_weight: f32[20, 1, 15, 3] = pt2::pack_depthwise_weight(weight=%reshape)
      %depthwise_conv3d: f32[s0, 20, 6, 9, 10] = pt2::depthwise_conv3d(x=%x, weight=%pack_depthwise_weight, bias=none, frames=3, stride=[1, 1, 1], padding=[1, 2, 1], dilation=[1, 1, 1], attr="none", scalars=[], algorithm="")
      return %depthwise_conv3d"
    `);
  });

  it("takes each frame for a row of pixels where kernels have one", () => {
    expect(lowered(convolved("[20, 20, 3, 1, 1]", ", padding=[1, 0, 0]"))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[20, 20, 3, 1, 1]
      user_input %x: f32[s0, 20, 6, 9, 10]
      %squeeze: f32[20, 20, 3, 1] = aten::squeeze.dim(%k, dim=4)
      %permute: f32[20, 3, 1, 20] = aten::permute(%squeeze, dims=[0, 2, 3, 1])
      %reshape: f32[20, 60] = aten::reshape(%permute, shape=[20, 60])
      %pack_conv_weight: f32[20, 20, 3, 1] = pt2::pack_conv_weight(weight=%reshape, groups=1, width=none)
      %direct_conv2d: f32[s0, 20, 6, 9, 10] = pt2::direct_conv2d(x=%x, weight=%pack_conv_weight, out_channels=20, kernel=[3, 1], bias=none, residual=none, padding=[1, 0], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      return %direct_conv2d"
    `);
    expect(lowered(convolved("[20, 20, 1, 1, 1]"))).toContain("pt2::conv1x1");
    expect(lowered(convolved("[20, 1, 5, 1, 1]", ", padding=[2, 0, 0], groups=20"))).toContain("pt2::depthwise_conv2d");
    // Their windows leave pixels out, or look beyond the frame.
    expect(lowered(convolved("[20, 20, 3, 1, 1]", ", stride=[1, 2, 1]"))).toContain("pt2::direct_conv3d");
    expect(lowered(convolved("[20, 20, 3, 1, 1]", ", padding=[1, 0, 1]"))).toContain("pt2::direct_conv3d");
  });

  it.each([
    ["groups of several channels", convolved("[20, 5, 3, 3, 3]", ", groups=4")],
    ["several filters for each channel", convolved("[40, 1, 3, 3, 3]", ", groups=20")],
    [
      "rows that are apart, of each channel by itself",
      convolved("[20, 1, 3, 3, 3]", ", dilation=[1, 2, 1], groups=20"),
    ],
    ["another dtype", convolved("[20, 20, 3, 3, 3]", "", "bf16")],
    ["strides beyond what kernels take", convolved("[20, 20, 3, 3, 3]", ", stride=[5000, 1, 1]")],
    ["two numbers for three sides", convolved("[20, 20, 3, 3, 3]", ", stride=[1, 1]")],
    [
      "weights that are not fixed",
      program(`user_input %k: f32[20, 20, 3, 3, 3]
        user_input %x: f32[1, 20, 6, 9, 10]
        %y: f32[1, 20, 4, 7, 8] = aten::conv3d(input=%x, weight=%k)
        return %y`),
    ],
  ])("leaves %s", (_, before) => {
    expect(lowered(before)).toBe(text(before));
  });

  it("leaves everything where there are no such kernels", () => {
    const before = convolved("[20, 20, 3, 3, 3]");
    expect(lowerVideoConvolutions(before, bare)).toBe(before);
  });
});
