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
  it("makes them part of the convolution before them", () => {
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
      %reshape: f32[6, 1, 1, 1] = aten::reshape(%mul, shape=[-1, 1, 1, 1])
      %mul_1: f32[6, 3, 1, 1] = aten::mul.Tensor(%k, other=%reshape)
      %neg: f32[6] = aten::neg(%m)
      %mul_2: f32[6] = aten::mul.Tensor(%neg, other=%mul)
      %add_1: f32[6] = aten::add.Tensor(%mul_2, other=%h)
      %conv2d: f32[1, 6, 8, 8] = aten::conv2d(input=%x, weight=%mul_1, bias=%add_1)
      return %conv2d"
    `);
  });

  it("keeps those that train, and those whose input is read elsewhere", () => {
    for (const before of [program(normalized(true, "%y")), program(normalized(false, "%y, %c"))]) {
      expect(foldBatchNorms(before, target())).toBe(before);
    }
  });
});
