import { describe, expect, it } from "vitest";
import { lowerTopk } from "./lower-topk.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

describe("lowerTopk", () => {
  const before = program(`user_input %x: f32[4, 8]
    user_input %i: i64[8]
    %v: f32[4, 3], %at: i64[4, 3] = aten::topk(self=%x, k=3, largest=false)
    %w: i64[2], %on: i64[2] = aten::topk(self=%i, k=2)
    return %v, %at, %w, %on`);

  it("takes those of float32", () => {
    expect(text(lowerTopk(before, cpu(["pt2::topk"])))).toMatchInlineSnapshot(`
      "user_input %x: f32[4, 8]
      user_input %i: i64[8]
      %v: f32[4, 3], %at: i64[4, 3] = pt2::topk(%x, k=3, largest=false)
      %w: i64[2], %on: i64[2] = aten::topk(%i, k=2)
      return %v, %at, %w, %on"
    `);
  });

  it("needs the kernel, and an op without a handler", () => {
    expect(lowerTopk(before, cpu())).toBe(before);
    expect(lowerTopk(before, cpu(["pt2::topk"], ["aten::topk"]))).toBe(before);
  });
});
