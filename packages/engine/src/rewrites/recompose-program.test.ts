import { ATTENTION } from "@pt2/testing/decomposed-attention";
import { describe, expect, it } from "vitest";
import { recomposeProgram } from "./recompose-program.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

describe("recomposeProgram", () => {
  it("replaces decomposed attention by scaled_dot_product_attention", () => {
    const result = recomposeProgram(program(`${ATTENTION}\n  return %y1`), target());
    expect(text(result)).toMatchInlineSnapshot(`
      "user_input %q: f32[2, 3, 5, 4]
      user_input %k: f32[2, 3, 7, 4]
      user_input %v: f32[2, 3, 7, 4]
      user_input %mask: f32[5, 7]
      %scaled_dot_product_attention: f32[2, 3, 5, 4] = aten::scaled_dot_product_attention(query=%q, key=%k, value=%v, attn_mask=%mask, scale=0.25)
      return %scaled_dot_product_attention"
    `);
  });

  it("replaces a linear layer between reshapes by one aten::linear", () => {
    const result = recomposeProgram(
      program(`parameter "w" = %w: f32[4, 3]
        parameter "b" = %b: f32[4]
        user_input %x: f32[2, 5, 3]
        %t: f32[3, 4]{strides=[1, 3]} = aten::permute(%w, dims=[1, 0])
        %flat: f32[10, 3] = aten::view(%x, size=[10, 3])
        %y: f32[10, 4] = aten::addmm(%b, mat1=%flat, mat2=%t)
        %z: f32[2, 5, 4] = aten::view(%y, size=[2, 5, 4])
        return %z`),
      target(),
    );
    expect(text(result)).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[4, 3]
      parameter "b" = %b: f32[4]
      user_input %x: f32[2, 5, 3]
      %t: f32[3, 4]{strides=[1, 3]} = aten::permute(%w, dims=[1, 0])
      %t_1: f32[4, 3] = aten::t(%t)
      %linear_1: f32[2, 5, 4] = aten::linear(input=%x, weight=%t_1, bias=%b)
      return %linear_1"
    `);
  });

  it("keeps attention whose scores or softmax another node reads", () => {
    const result = recomposeProgram(program(`${ATTENTION}\n  return %y1, %s2, %p`), target());
    expect(text(result)).not.toContain("scaled_dot_product_attention");
    expect(text(result)).toContain("return %matmul_1, %s2, %softmax");
  });

  it.each([
    ["whose masked rows are not zeros", ATTENTION.replace("other=-inf", "other=-1000.0")],
    ["with a plain softmax, whose masked rows are NaN", ATTENTION.replace("aten::view(%safe", "aten::view(%p")],
    ["of half precision, which rounds between its steps", ATTENTION.replaceAll("f32", "f16")],
  ])("keeps attention %s", (_, body) => {
    const result = recomposeProgram(program(`${body}\n  return %y1`), target());
    expect(text(result)).not.toContain("scaled_dot_product_attention");
  });

  it("keeps attention decomposed if the backend lacks the op, or if the user handles one of its ops", () => {
    const before = program(`${ATTENTION}\n  return %y1`);
    const attention = target(["aten::scaled_dot_product_attention"]);
    expect(text(recomposeProgram(before, attention))).not.toContain("scaled_dot_product_attention");
    expect(text(recomposeProgram(before, target([], ["aten::bmm"])))).toContain("aten::bmm");
  });

  it("returns the same program if it has no such pattern", () => {
    const before = program(`user_input %x: f32[2, 3]
      %y: f32[3, 2] = aten::view(%x, size=[3, 2])
      %z: f32[3, 2] = aten::clone(%y)
      return %z`);
    expect(recomposeProgram(before, target())).toBe(before);
  });
});
