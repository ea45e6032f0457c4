import { describe, expect, it } from "vitest";
import { canonicalize } from "./canonical.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

describe("canonicalize", () => {
  it("turns products with a weight matrix into aten::linear", () => {
    const before = program(`parameter "w" = %w: f32[4, 5]
      parameter "b" = %b: f32[5]
      user_input %x: f32[2, 4]
      user_input %y: f32[4, 5]
      %a: f32[2, 5] = aten::addmm(%b, mat1=%x, mat2=%w)
      %m: f32[2, 5] = aten::matmul(%x, other=%w)
      %n: f32[2, 5] = aten::mm(%x, mat2=%y)
      %s: f32[2, 5] = aten::addmm(%b, mat1=%x, mat2=%w, alpha=2)
      return %a, %m, %n, %s`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[4, 5]
      parameter "b" = %b: f32[5]
      user_input %x: f32[2, 4]
      user_input %y: f32[4, 5]
      %t: f32[5, 4]{strides=[1, 5]} = aten::t(%w)
      %linear: f32[2, 5] = aten::linear(input=%x, weight=%t, bias=%b)
      %t_1: f32[5, 4]{strides=[1, 5]} = aten::t(%w)
      %linear_1: f32[2, 5] = aten::linear(input=%x, weight=%t_1, bias=none)
      %n: f32[2, 5] = aten::mm(%x, mat2=%y)
      %s: f32[2, 5] = aten::addmm(%b, mat1=%x, mat2=%w, alpha=2)
      return %linear, %linear_1, %n, %s"
    `);
  });

  it("turns two-dimensional convolutions into aten::conv2d", () => {
    const before = program(`parameter "k" = %k: f32[6, 3, 3, 3]
      user_input %x: f32[1, 3, 8, 8]
      %c: f32[1, 6, 8, 8] = aten::convolution(input=%x, weight=%k, bias=none, stride=[1, 1], padding=[1, 1], dilation=[1, 1], transposed=false, output_padding=[0, 0], groups=1)
      %s: f32[1, 6, 8, 8] = aten::conv2d.padding(input=%x, weight=%k, bias=none, stride=[1, 1], padding="same")
      return %c, %s`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 3, 3, 3]
      user_input %x: f32[1, 3, 8, 8]
      %conv2d: f32[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%k, bias=none, stride=[1, 1], padding=[1, 1], dilation=[1, 1], groups=1)
      %conv2d_1: f32[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%k, bias=none, stride=[1, 1], padding=[1, 1])
      return %conv2d, %conv2d_1"
    `);
  });

  it("names convolutions of sequences, and transposed ones, for what they are", () => {
    const common = "weight=%k, bias=none, stride=[2], padding=[1], dilation=[1]";
    const before = program(`parameter "k" = %k: f32[6, 6, 3]
      parameter "l" = %l: f32[6, 2, 3, 3]
      user_input %x: f32[1, 6, 8]
      user_input %y: f32[1, 6, 8, 8]
      user_input %v: f32[1, 2, 6, 6, 6]
      parameter "m" = %m: f32[5, 2, 3, 3, 3]
      %c: f32[1, 6, 4] = aten::convolution(input=%x, ${common}, transposed=false, output_padding=[0], groups=1)
      %d: f32[1, 6, 16] = aten::convolution(input=%x, ${common}, transposed=true, output_padding=[1], groups=1)
      %e: f32[1, 4, 10, 10] = aten::convolution(input=%y, weight=%l, bias=none, stride=[1, 1], padding=[0, 0], dilation=[1, 1], transposed=true, output_padding=[0, 0], groups=2)
      %f: f32[1, 6, 4] = aten::convolution(input=%x, ${common}, transposed=false, output_padding=[0, 0], groups=1)
      %g: f32[1, 5, 4, 4, 4] = aten::convolution(input=%v, weight=%m, bias=none, stride=[1], padding=[0], dilation=[1], transposed=false, output_padding=[0], groups=1)
      return %c, %d, %e, %f, %g`);
    expect(text(canonicalize(before, target())).split("\n").slice(6, -1).join("\n")).toMatchInlineSnapshot(`
      "%conv1d: f32[1, 6, 4] = aten::conv1d(input=%x, weight=%k, bias=none, stride=[2], padding=[1], dilation=[1], groups=1)
      %conv_transpose1d: f32[1, 6, 16] = aten::conv_transpose1d(input=%x, weight=%k, bias=none, stride=[2], padding=[1], output_padding=[1], dilation=[1], groups=1)
      %conv_transpose2d: f32[1, 4, 10, 10] = aten::conv_transpose2d.input(input=%y, weight=%l, bias=none, stride=[1, 1], padding=[0, 0], output_padding=[0, 0], dilation=[1, 1], groups=2)
      %f: f32[1, 6, 4] = aten::convolution(input=%x, weight=%k, bias=none, stride=[2], padding=[1], dilation=[1], transposed=false, output_padding=[0, 0], groups=1)
      %conv3d: f32[1, 5, 4, 4, 4] = aten::conv3d(input=%v, weight=%m, bias=none, stride=[1], padding=[0], dilation=[1], groups=1)"
    `);
  });

  it("replaces native normalizations whose statistics nothing reads by batch_norm and layer_norm", () => {
    const before = program(`parameter "g" = %g: f32[6]
      buffer "m" = %m: f32[6]
      user_input %x: f32[1, 6, 8, 8]
      batch: %y: f32[1, 6, 8, 8], %u: f32[0], %v: f32[0] = aten::_native_batch_norm_legit_no_training(input=%x, weight=%g, bias=none, running_mean=%m, running_var=%m, momentum=0.1, eps=0.001)
      layer: %z: f32[1, 6, 8, 8], %s: f32[1, 6, 8, 1], %t: f32[1, 6, 8, 1] = aten::native_layer_norm(input=%y, normalized_shape=[8], weight=none, bias=none, eps=0.001)
      kept: %p: f32[1, 6, 8, 8], %q: f32[1, 6, 8, 1], %r: f32[1, 6, 8, 1] = aten::native_layer_norm(input=%z, normalized_shape=[8], weight=none, bias=none, eps=0.001)
      return %p, %q`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "parameter "g" = %g: f32[6]
      buffer "m" = %m: f32[6]
      user_input %x: f32[1, 6, 8, 8]
      %batch_norm: f32[1, 6, 8, 8] = aten::batch_norm(input=%x, weight=%g, bias=none, running_mean=%m, running_var=%m, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)
      %layer_norm: f32[1, 6, 8, 8] = aten::layer_norm(input=%batch_norm, normalized_shape=[8], weight=none, bias=none, eps=0.001)
      kept: %p: f32[1, 6, 8, 8], %q: f32[1, 6, 8, 1], %r: f32[1, 6, 8, 1] = aten::native_layer_norm(input=%layer_norm, normalized_shape=[8], weight=none, bias=none, eps=0.001)
      return %p, %q"
    `);
  });

  it("takes maxima and minima without their positions, where nothing reads these", () => {
    const before = program(`user_input %x: f32[2, s0]
      largest: %a: f32[2], %i: i64[2] = aten::max.dim(%x, dim=-1)
      least: %b: f32[1, s0], %j: i64[1, s0] = aten::min.dim(%x, dim=0, keepdim=true)
      both: %c: f32[2], %k: i64[2] = aten::max.dim(%x, dim=-1)
      return %a, %b, %c, %k`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, s0]
      %amax: f32[2] = aten::amax(%x, dim=[-1])
      %amin: f32[1, s0] = aten::amin(%x, dim=[0], keepdim=true)
      both: %c: f32[2], %k: i64[2] = aten::max.dim(%x, dim=-1)
      return %amax, %amin, %c, %k"
    `);
  });

  it("replaces new_zeros by full, and view by reshape", () => {
    const before = program(`user_input %x: f32[2, 4]
      %z: i64[3] = aten::new_zeros(%x, size=[3], dtype=torch.int64)
      %v: f32[8] = aten::view(%x, size=[8])
      return %z, %v`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 4]
      %full: i64[3] = aten::full(size=[3], fill_value=0, dtype=torch.int64, device=device(cpu))
      %reshape: f32[8] = aten::reshape(%x, shape=[8])
      return %full, %reshape"
    `);
  });

  it("takes shape and dtype of full from the arguments of the node, not from the recorded types", () => {
    const before = program(`user_input %x: f32[2, 4]
      %z: i64[3] = aten::new_zeros(%x, size=[3])
      %o: f32[5] = aten::new_ones(%x, size=[3])
      return %z, %o`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 4]
      %z: i64[3] = aten::new_zeros(%x, size=[3])
      %full: f32[3] = aten::full(size=[3], fill_value=1, dtype=torch.float32, device=device(cpu))
      return %z, %full"
    `);
  });

  it("omits arguments that a malformed node lacks, so that lowering refuses the new node too", () => {
    const before = program(`user_input %x: f32[2, 4]
      %v: f32[8] = aten::view(%x)
      %n: f32[2, 4], %m: f32[2, 1], %r: f32[2, 1] = aten::native_layer_norm(%x, weight=none, bias=none, eps=0.001)
      return %v, %n`);
    expect(text(canonicalize(before, target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2, 4]
      %reshape: f32[8] = aten::reshape(%x)
      %layer_norm: f32[2, 4] = aten::layer_norm(weight=none, bias=none, eps=0.001)
      return %reshape, %layer_norm"
    `);
  });

  it("does not change ops that the user handles", () => {
    const before = program(`user_input %x: f32[2, 4]
      %v: f32[8] = aten::view(%x, size=[8])
      return %v`);
    expect(canonicalize(before, target([], ["aten::view"]))).toBe(before);
  });
});
