import { describe, expect, it } from "vitest";
import { foldBatchNorms } from "./fold-batch-norm.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const normalized = (training: boolean, result: string): string => `parameter "k" = %k: f32[6, 3, 1, 1]
  parameter "g" = %g: f32[6]
  parameter "h" = %h: f32[6]
  buffer "m" = %m: f32[6]
  buffer "v" = %v: f32[6]
  user_input %x: f32[1, 3, 8, 8]
  %c: f32[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%k)
  %y: f32[1, 6, 8, 8] = aten::batch_norm(input=%c, weight=%g, bias=%h, running_mean=%m, running_var=%v, training=${training}, momentum=0.1, eps=0.001, cudnn_enabled=false)
  return ${result}`;

describe("foldBatchNorms", () => {
  it("folds a batch norm into the weight and the bias of the convolution before it", () => {
    expect(text(foldBatchNorms(program(normalized(false, "%y")), target()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 3, 1, 1]
      parameter "g" = %g: f32[6]
      parameter "h" = %h: f32[6]
      buffer "m" = %m: f32[6]
      buffer "v" = %v: f32[6]
      user_input %x: f32[1, 3, 8, 8]
      %add: f32[6] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[6] = aten::rsqrt(%add)
      %mul: f32[6] = aten::mul.Tensor(%rsqrt, other=%g)
      %neg: f32[6] = aten::neg(%m)
      %mul_1: f32[6] = aten::mul.Tensor(%neg, other=%mul)
      %add_1: f32[6] = aten::add.Tensor(%mul_1, other=%h)
      %reshape: f32[6, 1, 1, 1] = aten::reshape(%mul, shape=[-1, 1, 1, 1])
      %mul_2: f32[6, 3, 1, 1] = aten::mul.Tensor(%k, other=%reshape)
      %conv2d: f32[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%mul_2, bias=%add_1)
      return %conv2d"
    `);
  });

  it("computes the factors of float16 and bfloat16 in float32, and rounds only the weight and the bias", () => {
    const before = normalized(false, "%y").replaceAll("f32[", "bf16[");
    expect(text(foldBatchNorms(program(before), target()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: bf16[6, 3, 1, 1]
      parameter "g" = %g: bf16[6]
      parameter "h" = %h: bf16[6]
      buffer "m" = %m: bf16[6]
      buffer "v" = %v: bf16[6]
      user_input %x: bf16[1, 3, 8, 8]
      %to: f32[6] = aten::to.dtype(%m, dtype=torch.float32)
      %to_1: f32[6] = aten::to.dtype(%v, dtype=torch.float32)
      %to_2: f32[6] = aten::to.dtype(%g, dtype=torch.float32)
      %to_3: f32[6] = aten::to.dtype(%h, dtype=torch.float32)
      %add: f32[6] = aten::add.Scalar(%to_1, other=0.001)
      %rsqrt: f32[6] = aten::rsqrt(%add)
      %mul: f32[6] = aten::mul.Tensor(%rsqrt, other=%to_2)
      %neg: f32[6] = aten::neg(%to)
      %mul_1: f32[6] = aten::mul.Tensor(%neg, other=%mul)
      %add_1: f32[6] = aten::add.Tensor(%mul_1, other=%to_3)
      %reshape: f32[6, 1, 1, 1] = aten::reshape(%mul, shape=[-1, 1, 1, 1])
      %to_4: f32[6, 3, 1, 1] = aten::to.dtype(%k, dtype=torch.float32)
      %mul_2: f32[6, 3, 1, 1] = aten::mul.Tensor(%to_4, other=%reshape)
      %to_5: bf16[6, 3, 1, 1] = aten::to.dtype(%mul_2, dtype=torch.bfloat16)
      %to_6: bf16[6] = aten::to.dtype(%add_1, dtype=torch.bfloat16)
      %conv2d: bf16[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%to_5, bias=%to_6)
      return %conv2d"
    `);
  });

  it("keeps batch norms in training mode, and batch norms whose input another node reads", () => {
    for (const before of [program(normalized(true, "%y")), program(normalized(false, "%y, %c"))]) {
      expect(foldBatchNorms(before, target())).toBe(before);
    }
  });

  it("folds batch norms that follow `conv1d` and `convolution`", () => {
    const norm = "running_mean=%m, running_var=%v, momentum=0.1, eps=0.001";
    const folded = foldBatchNorms(
      program(`parameter "k" = %k: f32[6, 3, 1]
        parameter "b" = %b: f32[6]
        buffer "m" = %m: f32[6]
        buffer "v" = %v: f32[6]
        user_input %x: f32[1, 3, 8]
        %c: f32[1, 6, 8] = aten::convolution(input=%x, weight=%k, bias=%b, stride=[1], padding=[0], dilation=[1], transposed=false, output_padding=[0], groups=1)
        %y: f32[1, 6, 8], %s: f32[0], %t: f32[0] = aten::_native_batch_norm_legit_no_training(input=%c, weight=none, bias=none, ${norm})
        %d: f32[1, 6, 8] = aten::conv1d(input=%x, weight=%k)
        %z: f32[1, 6, 8] = aten::batch_norm(input=%d, weight=none, bias=none, ${norm.replace("momentum", "training=false, momentum")}, cudnn_enabled=false)
        return %y, %z`),
      target(),
    );
    expect(text(folded)).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 3, 1]
      parameter "b" = %b: f32[6]
      buffer "m" = %m: f32[6]
      buffer "v" = %v: f32[6]
      user_input %x: f32[1, 3, 8]
      %add: f32[6] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[6] = aten::rsqrt(%add)
      %sub: f32[6] = aten::sub.Tensor(%b, other=%m)
      %mul: f32[6] = aten::mul.Tensor(%sub, other=%rsqrt)
      %reshape: f32[6, 1, 1] = aten::reshape(%rsqrt, shape=[-1, 1, 1])
      %mul_1: f32[6, 3, 1] = aten::mul.Tensor(%k, other=%reshape)
      %convolution: f32[1, 6, 8] = aten::convolution(input=%x, weight=%mul_1, bias=%mul, stride=[1], padding=[0], dilation=[1], transposed=false, output_padding=[0], groups=1)
      %add_1: f32[6] = aten::add.Scalar(%v, other=0.001)
      %rsqrt_1: f32[6] = aten::rsqrt(%add_1)
      %neg: f32[6] = aten::neg(%m)
      %mul_2: f32[6] = aten::mul.Tensor(%neg, other=%rsqrt_1)
      %reshape_1: f32[6, 1, 1] = aten::reshape(%rsqrt_1, shape=[-1, 1, 1])
      %mul_3: f32[6, 3, 1] = aten::mul.Tensor(%k, other=%reshape_1)
      %conv1d: f32[1, 6, 8] = aten::conv1d(input=%x, weight=%mul_3, bias=%mul_2)
      return %convolution, %conv1d"
    `);
  });

  it("folds a batch norm into a transposed convolution, whose output channels are the second dimension of its weight", () => {
    const before = normalized(false, "%y").replace("f32[6, 3, 1, 1]", "f32[3, 6, 1, 1]");
    const folded = foldBatchNorms(program(before.replace("conv2d", "conv_transpose2d.input")), target());
    expect(text(folded).split("\n").slice(-4).join("\n")).toMatchInlineSnapshot(`
      "%reshape: f32[6, 1, 1] = aten::reshape(%mul, shape=[-1, 1, 1])
      %mul_2: f32[3, 6, 1, 1] = aten::mul.Tensor(%k, other=%reshape)
      %conv_transpose2d: f32[1, 6, 8, 8] = aten::conv_transpose2d.input(input=%x, weight=%mul_2, bias=%add_1)
      return %conv_transpose2d"
    `);
  });

  it("keeps batch norms after transposed convolutions with groups, and those whose statistics are written by runs or have another dtype", () => {
    const transposed = normalized(false, "%y").replace(
      "conv2d(input=%x, weight=%k)",
      "conv_transpose2d.input(input=%x, weight=%k, groups=3)",
    );
    const another = normalized(false, "%y").replaceAll("f32[6]", "f64[6]");
    const negative = normalized(false, "%y").replace("eps=0.001", "eps=-0.001");
    const unbatched = normalized(false, "%y").replaceAll("[1, 6, 8, 8]", "[6, 8, 8]");
    for (const before of [transposed, another, negative, unbatched].map(program)) {
      expect(foldBatchNorms(before, target())).toBe(before);
    }
    const written = program(`${normalized(false, "%y").replace("return %y", "%n: f32[6] = aten::neg(%m)")}
      return %n -> buffer_mutation "m", %y`);
    expect(foldBatchNorms(written, target())).toBe(written);
  });

  it("keeps batch norms that the user handles", () => {
    const before = program(normalized(false, "%y"));
    expect(foldBatchNorms(before, target([], ["aten::batch_norm"]))).toBe(before);
    expect(foldBatchNorms(before, target([], ["aten::conv2d"]))).toBe(before);
  });
});

const linear = (rest: string): string => `parameter "k" = %k: f32[6, 3]
  parameter "b" = %b: f32[6]
  buffer "m" = %m: f32[6]
  buffer "v" = %v: f32[6]
  user_input %x: f32[s0, 5, 3]
  %l: f32[s0, 5, 6] = aten::linear(input=%x, weight=%k, bias=%b)
  ${rest}`;
const statistics = "weight=none, bias=none, running_mean=%m, running_var=%v";
const evaluated = "training=false, momentum=0.1, eps=0.001, cudnn_enabled=false";

describe("foldBatchNorms behind linear layers", () => {
  it("folds a batch norm of flattened positions into the linear layer, whose sizes alone are read again", () => {
    const before = linear(`%f: f32[5*s0, 6] = aten::flatten.using_ints(%l, start_dim=0, end_dim=1)
      %y: f32[5*s0, 6] = aten::batch_norm(input=%f, ${statistics}, ${evaluated})
      %z: f32[s0, 5, 6] = aten::reshape_as(%y, other=%l)
      return %z`);
    expect(text(foldBatchNorms(program(before), target()))).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[6, 3]
      parameter "b" = %b: f32[6]
      buffer "m" = %m: f32[6]
      buffer "v" = %v: f32[6]
      user_input %x: f32[s0, 5, 3]
      %add: f32[6] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[6] = aten::rsqrt(%add)
      %sub: f32[6] = aten::sub.Tensor(%b, other=%m)
      %mul: f32[6] = aten::mul.Tensor(%sub, other=%rsqrt)
      %reshape_1: f32[6, 1] = aten::reshape(%rsqrt, shape=[-1, 1])
      %mul_1: f32[6, 3] = aten::mul.Tensor(%k, other=%reshape_1)
      %linear: f32[s0, 5, 6] = aten::linear(input=%x, weight=%mul_1, bias=%mul)
      %flatten: f32[5*s0, 6] = aten::flatten.using_ints(%linear, start_dim=0, end_dim=1)
      %reshape: f32[s0, 5, 6] = aten::reshape(%flatten, shape=[-1, 5, 6])
      return %reshape"
    `);
  });

  it("folds a batch norm right behind a linear layer of rows", () => {
    const before = linear(`%y: f32[s0, 6] = aten::batch_norm(input=%l, ${statistics}, ${evaluated})
      return %y`).replaceAll("[s0, 5, ", "[s0, ");
    const folded = text(foldBatchNorms(program(before), target()));
    expect(folded).not.toContain("batch_norm");
    expect(folded).toContain("%linear: f32[s0, 6] = aten::linear(input=%x, ");
  });

  it("keeps batch norms of sequences, whose channels are not last, and those of rows that mix features", () => {
    const ofSequences = linear(`%y: f32[s0, 5, 6] = aten::batch_norm(input=%l, ${statistics}, ${evaluated})
      return %y`).replaceAll("f32[6]", "f32[5]");
    const mixed = linear(`%f: f32[s0, 30] = aten::reshape(%l, shape=[-1, 30])
      %y: f32[s0, 30] = aten::batch_norm(input=%f, ${statistics}, ${evaluated})
      return %y`);
    const shared = linear(`%f: f32[5*s0, 6] = aten::flatten.using_ints(%l, start_dim=0, end_dim=1)
      %y: f32[5*s0, 6] = aten::batch_norm(input=%f, ${statistics}, ${evaluated})
      return %y, %f`);
    const again = shared.replace("%y, %f", "%y, %l");
    for (const before of [ofSequences, mixed, shared, again].map(program)) {
      expect(foldBatchNorms(before, target())).toBe(before);
    }
  });

  it("keeps `reshape_as` where two sizes are unknown, or one and another is zero", () => {
    for (const sizes of ["s0, s1, 6", "s0, 0, 6"]) {
      const before = program(
        linear(`%f: f32[u0, 6] = aten::flatten.using_ints(%l, start_dim=0, end_dim=1)
        %y: f32[u0, 6] = aten::batch_norm(input=%f, ${statistics}, ${evaluated})
        %z: f32[${sizes}] = aten::reshape_as(%y, other=%l)
        return %z`).replaceAll("s0, 5, 6", sizes),
      );
      expect(foldBatchNorms(before, target())).toBe(before);
    }
  });
});
