import { describe, expect, it } from "vitest";
import { lowerBatchNorms } from "./lower-batch-norm.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const norm = (shape: string, flags: string, weight = "%w"): string => `
  parameter "w" = %w: f32[8]
  parameter "b" = %b: f32[8]
  buffer "m" = %m: f32[8]
  buffer "v" = %v: f32[8]
  user_input %x: f32${shape}
  user_input %given: f32[8]
  %y: f32${shape} = aten::batch_norm(input=%x, weight=${weight}, bias=%b, running_mean=%m, running_var=%v, ${flags}, momentum=0.1, eps=0.001, cudnn_enabled=true)
  return %y`;

describe("lowerBatchNorms", () => {
  it("makes the factors of fixed statistics once", () => {
    expect(text(lowerBatchNorms(program(norm("[s0, 8]", "training=false")), cpu()))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[8]
      parameter "b" = %b: f32[8]
      buffer "m" = %m: f32[8]
      buffer "v" = %v: f32[8]
      user_input %x: f32[s0, 8]
      user_input %given: f32[8]
      %add: f32[8] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[8] = aten::rsqrt(%add)
      %mul: f32[8] = aten::mul.Tensor(%rsqrt, other=%w)
      %mul_1: f32[8] = aten::mul.Tensor(%m, other=%mul)
      %sub: f32[8] = aten::sub.Tensor(%b, other=%mul_1)
      %addcmul: f32[s0, 8] = aten::addcmul(%sub, tensor1=%x, tensor2=%mul)
      return %addcmul"
    `);
  });

  it("makes elementwise ops of those of images, where one kernel joins them", () => {
    const body = norm("[s0, 8, 4, 4]", "training=false");
    expect(text(lowerBatchNorms(program(body), cpu(["pt2::pointwise"])))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[8]
      parameter "b" = %b: f32[8]
      buffer "m" = %m: f32[8]
      buffer "v" = %v: f32[8]
      user_input %x: f32[s0, 8, 4, 4]
      user_input %given: f32[8]
      %add: f32[8] = aten::add.Scalar(%v, other=0.001)
      %rsqrt: f32[8] = aten::rsqrt(%add)
      %mul: f32[8] = aten::mul.Tensor(%rsqrt, other=%w)
      %mul_1: f32[8] = aten::mul.Tensor(%m, other=%mul)
      %sub: f32[8] = aten::sub.Tensor(%b, other=%mul_1)
      %reshape: f32[8, 1, 1] = aten::reshape(%mul, shape=[8, 1, 1])
      %reshape_1: f32[8, 1, 1] = aten::reshape(%sub, shape=[8, 1, 1])
      %mul_2: f32[s0, 8, 4, 4] = aten::mul.Tensor(%x, other=%reshape)
      %add_1: f32[s0, 8, 4, 4] = aten::add.Tensor(%mul_2, other=%reshape_1)
      return %add_1"
    `);
  });

  it.each([
    ["images", norm("[s0, 8, 4, 4]", "training=false")],
    ["training", norm("[s0, 8]", "training=true")],
    ["weights that are computed", norm("[s0, 8]", "training=false", "%given")],
    ["what PyTorch refuses", norm("[s0, 9]", "training=false")],
  ])("leaves %s", (_, body) => {
    const before = program(body);
    expect(text(lowerBatchNorms(before, cpu()))).toBe(text(before));
  });
});
