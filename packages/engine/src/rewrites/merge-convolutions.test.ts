import { describe, expect, it } from "vitest";
import { mergeConvolutions } from "./merge-convolutions.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const head = `parameter "w" = %w: f32[6, 6, 3, 3]
  parameter "p" = %p: f32[6, 6, 1, 1]
  parameter "b" = %b: f32[6]
  parameter "g" = %g: f32[6]
  buffer "m" = %m: f32[6]
  buffer "v" = %v: f32[6]
  user_input %x: f32[s0, 6, 8, 8]
  user_input %z: f32[s0, 6, 8, 8]`;
const wide = "%c: f32[s0, 6, 8, 8] = aten::conv2d(input=%x, weight=%w, bias=none, stride=[1, 1], padding=[1, 1])";
const point = "%d: f32[s0, 6, 8, 8] = aten::conv2d(input=%x, weight=%p, bias=%b)";
const normalized = `%n: f32[s0, 6, 8, 8] = aten::batch_norm(input=%x, weight=%g, bias=none, running_mean=%m, running_var=%v, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)`;
const sum = "%y: f32[s0, 6, 8, 8] = aten::add.Tensor(%c, other=%d)";

describe("mergeConvolutions", () => {
  it("computes three branches of a block as one convolution", () => {
    const before = program(`${head}
      ${normalized}
      ${wide}
      ${point}
      ${sum}
      %s: f32[s0, 6, 8, 8] = aten::add.Tensor(%y, other=%n)
      return %s`);
    expect(text(mergeConvolutions(before, target()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[6, 6, 3, 3]
      parameter "p" = %p: f32[6, 6, 1, 1]
      parameter "b" = %b: f32[6]
      parameter "g" = %g: f32[6]
      buffer "m" = %m: f32[6]
      buffer "v" = %v: f32[6]
      user_input %x: f32[s0, 6, 8, 8]
      user_input %z: f32[s0, 6, 8, 8]
      %constant_pad_nd: f32[6, 6, 3, 3] = aten::constant_pad_nd(%p, pad=[1, 1, 1, 1], value=0)
      %add: f32[6, 6, 3, 3] = aten::add.Tensor(%w, other=%constant_pad_nd)
      %zeros_like: f32[6] = aten::zeros_like(%b)
      %add_1: f32[6] = aten::add.Tensor(%zeros_like, other=%b)
      %add_2: f32[6] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[6] = aten::rsqrt(%add_2)
      %mul: f32[6] = aten::mul.Tensor(%rsqrt, other=%g)
      %neg: f32[6] = aten::neg(%m)
      %mul_1: f32[6] = aten::mul.Tensor(%neg, other=%mul)
      %diag_embed: f32[6, 6] = aten::diag_embed(%mul)
      %reshape: f32[6, 6, 1, 1] = aten::reshape(%diag_embed, shape=[6, 6, 1, 1])
      %constant_pad_nd_1: f32[6, 6, 3, 3] = aten::constant_pad_nd(%reshape, pad=[1, 1, 1, 1], value=0)
      %add_3: f32[6, 6, 3, 3] = aten::add.Tensor(%add, other=%constant_pad_nd_1)
      %add_4: f32[6] = aten::add.Tensor(%add_1, other=%mul_1)
      %conv2d_1: f32[s0, 6, 8, 8] = aten::conv2d(input=%x, weight=%add_3, bias=%add_4, stride=[1, 1], padding=[1, 1])
      return %conv2d_1"
    `);
  });

  it("computes the factors of a batch norm of float16 in float32, and rounds them once", () => {
    const before = program(
      `${head}
      ${normalized}
      ${wide}
      %s: f32[s0, 6, 8, 8] = aten::add.Tensor(%c, other=%n)
      return %s`.replaceAll("f32[", "f16["),
    );
    const after = text(mergeConvolutions(before, target()));
    expect(after).not.toContain("batch_norm");
    expect(after).toContain(": f32[6] = aten::rsqrt(");
    expect(after).toContain("%to_3: f16[6] = aten::to.dtype(%mul, dtype=torch.float16)");
    expect(after).toContain("aten::diag_embed(%to_3)");
  });

  it("takes the ops of ATen's core", () => {
    const windows = (padding: number): string =>
      `stride=[1, 1], padding=[${padding}, ${padding}], dilation=[1, 1], transposed=false, output_padding=[0, 0], groups=1`;
    const before = program(`${head}
      %c: f32[s0, 6, 8, 8] = aten::convolution(input=%x, weight=%w, bias=none, ${windows(1)})
      %d: f32[s0, 6, 8, 8] = aten::convolution(input=%x, weight=%p, bias=%b, ${windows(0)})
      ${sum}
      %n: f32[s0, 6, 8, 8], %i: f32[0], %j: f32[0] = aten::_native_batch_norm_legit_no_training(input=%x, weight=%g, bias=none, running_mean=%m, running_var=%v, momentum=0.1, eps=0.001)
      %s: f32[s0, 6, 8, 8] = aten::add.Tensor(%n, other=%y)
      return %s`);
    const after = text(mergeConvolutions(before, target()));
    expect(after).toContain("%convolution_1: f32[s0, 6, 8, 8] = aten::convolution(input=%x, weight=%add_3, ");
    expect(after).not.toContain("batch_norm");
    const transposed = program(text(before).replaceAll("transposed=false", "transposed=true"));
    expect(mergeConvolutions(transposed, target())).toBe(transposed);
  });

  it("subtracts a normalization from a depthwise convolution, and the other way around", () => {
    const depthwise = wide.replace("stride", "groups=6, stride");
    for (const [self, other] of ["cn", "nc"]) {
      const before = program(`${head.replace("6, 6, 3", "6, 1, 3")}
        ${depthwise}
        ${normalized}
        %y: f32[s0, 6, 8, 8] = aten::sub.Tensor(%${self}, other=%${other})
        return %y`);
      const after = text(mergeConvolutions(before, target()));
      expect(after).toContain(
        self === "c"
          ? "%sub: f32[6, 1, 3, 3] = aten::sub.Tensor(%w, other=%constant_pad_nd)"
          : "%sub: f32[6, 1, 3, 3] = aten::sub.Tensor(%constant_pad_nd, other=%w)",
      );
      expect(after).not.toContain("diag_embed");
    }
  });

  it("keeps convolutions that others read too, of other inputs, with factors, strides, taps or groups of their own", () => {
    const pair = (a: string, b: string, result = sum, outputs = "%y"): string => `${head}
      ${a}
      ${b}
      ${result}
      return ${outputs}`;
    const kept = [
      pair(wide, point, sum, "%y, %c"),
      pair(wide, point.replace("%x", "%z")),
      pair(wide, point, sum.replace("other=%d", "other=%d, alpha=2")),
      pair(wide.replace("f32[s0, 6, 8, 8]", "f32[s0, 6, 10, 10]").replace("[1, 1])", "[2, 2])"), point),
      pair(
        wide.replace("8, 8", "4, 4").replace("stride=[1, 1]", "stride=[2, 2]"),
        point.replace("8, 8", "10, 10").replace("bias=%b", "bias=%b, padding=[1, 1]"),
      ),
      pair(wide, point.replace("bias=%b", "bias=%b, groups=2")).replace("%p: f32[6, 6,", "%p: f32[6, 3,"),
      pair(wide, point.replace("weight=%p", "weight=%q")).replace(
        "user_input %z",
        "user_input %q: f32[6, 6, 1, 1]\n  user_input %z",
      ),
      pair(wide, normalized, sum.replace("%d", "%n")).replace("training=false", "training=true"),
      pair(wide.replace("stride", "groups=2, stride"), normalized, sum.replace("%d", "%n")).replace(
        "%w: f32[6, 6,",
        "%w: f32[6, 3,",
      ),
    ];
    for (const before of kept.map(program)) expect(mergeConvolutions(before, target())).toBe(before);
  });
});
