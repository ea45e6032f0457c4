import type { Program } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { lowerConvolutions } from "./lower-convolution.ts";
import { bare, cpu, program, text } from "./passes.test-helper.ts";

const convolved = (shape: string, size: string, args: string): string => `parameter "k" = %k: f32${shape}
  parameter "b" = %b: f32[6]
  user_input %x: f32${size}
  %y: f32${size} = aten::conv2d(input=%x, weight=%k, bias=%b${args})
  return %y`;

describe("lowerConvolutions", () => {
  it("packs weights for oneDNN", () => {
    const before = program(convolved("[6, 6, 3, 3]", "[1, 6, 8, 8]", ", stride=[1, 1], padding=[1, 1]"));
    expect(text(lowerConvolutions(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 3, 3]
      parameter "b" = %b: f32[6]
      user_input %x: f32[1, 6, 8, 8]
      %reorder_convolution_weight: f32[6, 6, 3, 3] = mkldnn::_reorder_convolution_weight(%k, padding=[1, 1], stride=[1, 1], dilation=[1, 1], groups=1, input_size=[1, 6, 8, 8])
      %convolution_pointwise: f32[1, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%reorder_convolution_weight, B=%b, padding=[1, 1], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      return %convolution_pointwise"
    `);
  });

  it("does not pack for sizes it does not know", () => {
    const before = program(convolved("[6, 6, 3, 3]", "[s0, 6, 8, 8]", ", padding=1"));
    expect(text(lowerConvolutions(before, cpu()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 3, 3]
      parameter "b" = %b: f32[6]
      user_input %x: f32[s0, 6, 8, 8]
      %clone: f32[6, 6, 3, 3] = aten::clone(%k, memory_format=torch.channels_last)
      %convolution_pointwise: f32[s0, 6, 8, 8] = mkldnn::_convolution_pointwise(X=%x, W=%clone, B=%b, padding=[1, 1], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      return %convolution_pointwise"
    `);
  });

  const direct = cpu(["pt2::direct_conv2d", "pt2::conv1x1"]);

  it("computes dense convolutions with our own kernel, whatever the batch is", () => {
    const before = program(convolved("[6, 6, 3, 3]", "[s0, 6, 8, 8]", ", padding=1"));
    expect(text(lowerConvolutions(before, direct))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 3, 3]
      parameter "b" = %b: f32[6]
      user_input %x: f32[s0, 6, 8, 8]
      %permute: f32[6, 3, 3, 6] = aten::permute(%k, dims=[0, 2, 3, 1])
      %reshape: f32[6, 54] = aten::reshape(%permute, shape=[6, 54])
      %pack_conv_weight: f32[6, 6, 3, 3] = pt2::pack_conv_weight(weight=%reshape, groups=1, width=8)
      %direct_conv2d: f32[s0, 6, 8, 8] = pt2::direct_conv2d(x=%x, weight=%pack_conv_weight, out_channels=6, kernel=[3, 3], bias=%b, residual=none, padding=[1, 1], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      return %direct_conv2d"
    `);
  });

  it("computes large images with our own kernel, of few channels and of more", () => {
    for (const channels of [3, 6]) {
      const large = program(convolved(`[6, ${channels}, 3, 3]`, `[1, ${channels}, 99, 99]`, ", padding=1"));
      expect(text(lowerConvolutions(large, direct))).toContain("pt2::direct_conv2d");
    }
  });

  it("computes groups that fill a vector with our own kernel", () => {
    const grouped = (weight: string, groups: number): string =>
      text(
        lowerConvolutions(
          program(`parameter "k" = %k: f32${weight}
      user_input %x: f32[1, 32, 8, 8]
      %y: f32[1, 32, 8, 8] = aten::conv2d(input=%x, weight=%k, padding=[1, 1], groups=${groups})
      return %y`),
          direct,
        ),
      );
    expect(grouped("[32, 8, 3, 3]", 4)).toMatch(
      /pack_conv_weight\(.*groups=4, width=8\)[\s\S]*direct_conv2d\(.*groups=4,/,
    );
    expect(grouped("[32, 4, 3, 3]", 8)).toContain("mkldnn::_convolution_pointwise");
  });

  it("takes sequences as images of one row", () => {
    const sequence = program(`parameter "k" = %k: f32[6, 6, 5]
      user_input %x: f32[1, 6, 40]
      %y: f32[1, 6, 40] = aten::conv1d(input=%x, weight=%k, stride=[1], padding=[2])
      return %y`);
    expect(text(lowerConvolutions(sequence, direct))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 5]
      user_input %x: f32[1, 6, 40]
      %unsqueeze: f32[6, 6, 1, 5] = aten::unsqueeze(%k, dim=2)
      %permute: f32[6, 1, 5, 6] = aten::permute(%unsqueeze, dims=[0, 2, 3, 1])
      %reshape: f32[6, 30] = aten::reshape(%permute, shape=[6, 30])
      %pack_conv_weight: f32[6, 6, 1, 5] = pt2::pack_conv_weight(weight=%reshape, groups=1, width=40)
      %direct_conv2d: f32[1, 6, 40] = pt2::direct_conv2d(x=%x, weight=%pack_conv_weight, out_channels=6, kernel=[1, 5], bias=none, residual=none, padding=[0, 2], stride=[1, 1], dilation=[1, 1], groups=1, attr="none", scalars=[], algorithm="")
      return %direct_conv2d"
    `);
  });

  it("pads with zeros on its own, and not with anything else", () => {
    const causal = (pad: string): string => `parameter "k" = %k: f32[6, 6, 5]
      user_input %x: f32[1, 6, 40]
      %p: f32[1, 6, 44] = ${pad}
      %y: f32[1, 6, 42] = aten::conv1d(input=%p, weight=%k, padding=[1])
      return %y`;
    const lowered = (pad: string): string => text(lowerConvolutions(program(causal(pad)), direct));
    const fused =
      "pt2::direct_conv2d(x=%x, weight=%pack_conv_weight, out_channels=6, kernel=[1, 5], bias=none, residual=none, padding=[0, 5, 0, 1]";
    expect(lowered("aten::pad(%x, pad=[4, 0])")).toContain(fused);
    expect(lowered("aten::constant_pad_nd(%x, pad=[4, 0], value=0)")).toContain(fused);
    expect(lowered('aten::pad(%x, pad=[4, 0], mode="reflect")')).toContain("x=%p");
    expect(lowered("aten::constant_pad_nd(%x, pad=[4, 0], value=1)")).toContain("x=%p");
    expect(lowered("aten::constant_pad_nd(%x, pad=[5, -1])")).toContain("x=%p");
  });

  it("prefers our own kernels for depthwise and for 1x1 convolutions", () => {
    const own = cpu(["pt2::depthwise_conv2d", "pt2::conv1x1"]);
    const depthwise = convolved(
      "[6, 1, 3, 3]",
      "[1, 6, 8, 8]",
      ", stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=6",
    );
    expect(text(lowerConvolutions(program(depthwise), own))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 1, 3, 3]
      parameter "b" = %b: f32[6]
      user_input %x: f32[1, 6, 8, 8]
      %pack_depthwise_weight: f32[6, 1, 3, 3] = pt2::pack_depthwise_weight(weight=%k)
      %depthwise_conv2d: f32[1, 6, 8, 8] = pt2::depthwise_conv2d(x=%x, weight=%pack_depthwise_weight, bias=%b, padding=[1, 1], stride=[1, 1], dilation=[1, 1], attr="none", scalars=[], algorithm="")
      return %depthwise_conv2d"
    `);
    const pointwise = convolved("[6, 6, 1, 1]", "[1, 6, 8, 8]", "");
    expect(text(lowerConvolutions(program(pointwise), own))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 6, 1, 1]
      parameter "b" = %b: f32[6]
      user_input %x: f32[1, 6, 8, 8]
      %reshape: f32[6, 6] = aten::reshape(%k, shape=[6, 6])
      %pack_linear_weight: f32[6, 6, 1, 1] = pt2::pack_linear_weight(weight=%reshape)
      %conv1x1: f32[1, 6, 8, 8] = pt2::conv1x1(x=%x, weight=%pack_linear_weight, out_channels=6, bias=%b, residual=none, attr="none", scalars=[], algorithm="")
      return %conv1x1"
    `);
  });

  it("takes Winograd's algorithm for 3x3 convolutions of large images with many channels", () => {
    const own = cpu(["pt2::winograd_conv2d"]);
    const large = `parameter "k" = %k: f32[64, 64, 3, 3]
      user_input %x: f32[1, 64, 14, 14]
      %y: f32[1, 64, 14, 14] = aten::conv2d(input=%x, weight=%k, bias=none, stride=[1, 1], padding=[1, 1])
      return %y`;
    expect(text(lowerConvolutions(program(large), own))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[64, 64, 3, 3]
      user_input %x: f32[1, 64, 14, 14]
      %pack_winograd_weight: f32[64, 64, 3, 3] = pt2::pack_winograd_weight(weight=%k)
      %winograd_conv2d: f32[1, 64, 14, 14] = pt2::winograd_conv2d(x=%x, weight=%pack_winograd_weight, out_channels=64, bias=none, residual=none, padding=[1, 1], attr="none", scalars=[], algorithm="")
      return %winograd_conv2d"
    `);
    const ofAnyBatch = large.replaceAll("[1, 64, 14", "[s0, 64, 14");
    expect(text(lowerConvolutions(program(ofAnyBatch), own))).toContain("pt2::winograd_conv2d");
    const small = program(convolved("[6, 6, 3, 3]", "[1, 6, 8, 8]", ", stride=[1, 1], padding=[1, 1]"));
    expect(text(lowerConvolutions(small, own))).toContain("mkldnn::_convolution_pointwise");
    // Of a small image only if the weights are few.
    const at7 = (channels: number): Program =>
      program(
        large
          .replaceAll("14, 14", "7, 7")
          .replaceAll("64, 64, 3", `${channels}, ${channels}, 3`)
          .replaceAll("64, 7", `${channels}, 7`),
      );
    expect(text(lowerConvolutions(at7(144), own))).toContain("pt2::winograd_conv2d");
    expect(text(lowerConvolutions(at7(512), own))).toContain("mkldnn::_convolution_pointwise");
  });

  it("needs oneDNN", () => {
    const before = program(convolved("[6, 6, 1, 1]", "[1, 6, 8, 8]", ""));
    expect(lowerConvolutions(before, bare)).toBe(before);
  });
});
