import { describe, expect, it } from "vitest";
import { keepInt8 } from "./int8-linear.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const WEIGHTS = `parameter "w" = %w: i8[5, 4]
      parameter "s" = %s: f32[5, 2]
      parameter "z" = %z: i8[5, 2]
      parameter "c" = %c: f32[5]
      parameter "b" = %b: f32[5]
      user_input %x: f32[3, 4]`;

const after = (body: string): string | null => {
  const before = program(`${WEIGHTS}
      ${body}`);
  const kept = keepInt8(before, { ...target(), has: () => true });
  return kept === before ? null : (text(kept).split("\n").at(-2) ?? null);
};

describe("keepInt8", () => {
  it("keeps the weight of a linear layer that is dequantized by groups", () => {
    expect(
      after(`%d: f32[5, 4] = torchao::dequantize_affine(input=%w, block_size=[1, 2], scale=%s, zero_point=%z, input_dtype=torch.int8)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d, bias=%b)
      return %y`),
    ).toBe("%linear_int8: f32[3, 5] = pt2::linear_int8(input=%x, weight=%w, scale=%s, zero_point=%z, bias=%b)");
  });

  it("keeps a weight that is dequantized by channels, and read by its columns", () => {
    const dequantize = `%d: f32[5, 4] = quantized_decomposed::dequantize_per_channel(input=%w, scales=%c, zero_points=none, axis=0, quant_min=-128, quant_max=127, dtype=torch.int8)
      %t: f32[4, 5] = aten::permute(self=%d, dims=[1, 0])`;
    const expected = "pt2::linear_int8(input=%x, weight=%w, scale=%c, zero_point=none, bias=";
    expect(
      after(`${dequantize}
      %y: f32[3, 5] = aten::mm(self=%x, mat2=%t)
      return %y`),
    ).toContain(`${expected}none`);
    expect(
      after(`${dequantize}
      %y: f32[3, 5] = aten::addmm(self=%b, mat1=%x, mat2=%t)
      return %y`),
    ).toContain(`${expected}%b`);
  });

  it("keeps a weight that is only converted", () => {
    const expected = "pt2::linear_int8(input=%x, weight=%w, scale=none, zero_point=none, bias=none)";
    expect(
      after(`%t: i8[4, 5] = aten::t(self=%w)
      %f: f32[4, 5] = aten::to.dtype(self=%t, dtype=torch.float32)
      %y: f32[3, 5] = aten::mm(self=%x, mat2=%f)
      return %y`),
    ).toContain(expected);
    expect(
      after(`%f: f32[5, 4] = aten::_to_copy(self=%w, dtype=torch.float32)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%f)
      return %y`),
    ).toContain(expected);
  });

  it("keeps a weight that is dequantized step by step", () => {
    const expected = "pt2::linear_int8(input=%x, weight=%w, scale=%r, zero_point=%u, bias=none)";
    expect(
      after(`%f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %g: f32[5, 2, 2] = aten::view(self=%f, size=[5, 2, 2])
      %u: i8[5, 2, 1] = aten::unsqueeze(self=%z, dim=2)
      %m: f32[5, 2, 2] = aten::sub.Tensor(self=%g, other=%u)
      %r: f32[5, 2, 1] = aten::unsqueeze(self=%s, dim=2)
      %d: f32[5, 2, 2] = aten::mul.Tensor(self=%r, other=%m)
      %v: f32[5, 4] = aten::view(self=%d, size=[5, 4])
      %y: f32[3, 5] = aten::linear(input=%x, weight=%v)
      return %y`),
    ).toContain(expected);
    expect(
      after(`%r: f32[5, 1] = aten::unsqueeze(self=%c, dim=1)
      %d: f32[5, 4] = aten::mul.Tensor(self=%w, other=%r)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)
      return %y`),
    ).toContain("pt2::linear_int8(input=%x, weight=%w, scale=%r, zero_point=none, bias=none)");
  });

  it.each([
    [
      "is multiplied by a number before another is subtracted",
      `%f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %r: f32[5, 1] = aten::unsqueeze(self=%c, dim=1)
      %m: f32[5, 4] = aten::mul.Tensor(self=%f, other=%r)
      %d: f32[5, 4] = aten::sub.Tensor(self=%m, other=%r)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "is multiplied by a number for each column",
      `parameter "k" = %k: f32[4]
      %f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %d: f32[5, 4] = aten::mul.Tensor(self=%f, other=%k)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "is multiplied by itself",
      `%f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %d: f32[5, 4] = aten::mul.Tensor(self=%f, other=%f)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "has other groups for scales than for zero points",
      `%f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %g: f32[5, 2, 2] = aten::view(self=%f, size=[5, 2, 2])
      %u: i8[5, 2, 1] = aten::unsqueeze(self=%z, dim=2)
      %m: f32[5, 2, 2] = aten::sub.Tensor(self=%g, other=%u)
      %v: f32[5, 4] = aten::view(self=%m, size=[5, 4])
      %r: f32[5, 1] = aten::unsqueeze(self=%c, dim=1)
      %d: f32[5, 4] = aten::mul.Tensor(self=%v, other=%r)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "is moved in int8, which wraps",
      `user_input %v: i8[5, 1]
      %m: i8[5, 4] = aten::sub.Tensor(self=%w, other=%v)
      %f: f32[5, 4] = aten::to.dtype(self=%m, dtype=torch.float32)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%f)`,
    ],
    [
      "is read by its rows where a product reads columns",
      `user_input %v: f32[3, 5]
      %f: f32[5, 4] = aten::to.dtype(self=%w, dtype=torch.float32)
      %y: f32[3, 4] = aten::mm(self=%v, mat2=%f)`,
    ],
    [
      "is transposed before a linear layer",
      `user_input %v: f32[3, 5]
      %t: i8[4, 5] = aten::t(self=%w)
      %f: f32[4, 5] = aten::to.dtype(self=%t, dtype=torch.float32)
      %y: f32[3, 4] = aten::linear(input=%v, weight=%f)`,
    ],
    [
      "has groups of rows",
      `%d: f32[5, 4] = torchao::dequantize_affine(input=%w, block_size=[5, 2], scale=%s, zero_point=%z, input_dtype=torch.int8)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "has groups that divide pairs of columns",
      `%d: f32[5, 4] = torchao::dequantize_affine(input=%w, block_size=[1, 1], scale=%s, zero_point=%z, input_dtype=torch.int8)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "has a scale for each column",
      `%d: f32[5, 4] = quantized_decomposed::dequantize_per_channel(input=%w, scales=%c, zero_points=none, axis=1, quant_min=-128, quant_max=127, dtype=torch.int8)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%d)`,
    ],
    [
      "is an input",
      `user_input %v: i8[5, 4]
      %f: f32[5, 4] = aten::to.dtype(self=%v, dtype=torch.float32)
      %y: f32[3, 5] = aten::linear(input=%x, weight=%f)`,
    ],
    [
      "is multiplied in half precision",
      `%f: f16[5, 4] = aten::to.dtype(self=%w, dtype=torch.float16)
      %h: f16[3, 4] = aten::to.dtype(self=%x, dtype=torch.float16)
      %y: f16[3, 5] = aten::linear(input=%h, weight=%f)`,
    ],
    [
      "is no int8",
      `user_input %v: f32[5, 4]
      %y: f32[3, 5] = aten::linear(input=%x, weight=%v)`,
    ],
  ])("leaves a weight that %s", (_, body) => {
    expect(
      after(`${body}
      return %y`),
    ).toBe(null);
  });
});
