import { describe, expect, it } from "vitest";
import { recognizeGelu } from "./gelu-tanh.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const written = (cube: string): string => `user_input %x: f32[2]
  %half: f32[2] = aten::mul.Tensor(%x, other=0.5)
  %pow: f32[2] = aten::pow.Tensor_Scalar(%x, exponent=3.0)
  %scaled: f32[2] = aten::mul.Tensor(%pow, other=${cube})
  %inner: f32[2] = aten::add.Tensor(%x, other=%scaled)
  %arg: f32[2] = aten::mul.Tensor(%inner, other=0.7978845608028654)
  %tanh: f32[2] = aten::tanh(%arg)
  %sum: f32[2] = aten::add.Tensor(%tanh, other=1.0)
  %y: f32[2] = aten::mul.Tensor(%half, other=%sum)
  return %y`;

describe("recognizeGelu", () => {
  it("recognizes the formula of GPT-2", () => {
    expect(text(recognizeGelu(program(written("0.044715")), target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[2]
      %gelu: f32[2] = aten::gelu(%x, approximate="tanh")
      return %gelu"
    `);
  });

  it("keeps a formula with other constants", () => {
    const before = program(written("0.05"));
    expect(recognizeGelu(before, target())).toBe(before);
  });
});
