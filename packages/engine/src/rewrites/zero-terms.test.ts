import { describe, expect, it } from "vitest";
import { program, target, text } from "./rewrites.test-helper.ts";
import { dropZeroTerms } from "./zero-terms.ts";

describe("dropZeroTerms", () => {
  it("drops the number 0 from sums", () => {
    const before = program(`user_input %x: f32[s0, 3]
      %y: f32[s0, 3] = aten::relu(%x)
      %z: f32[s0, 3] = aten::add.Tensor(%y, other=0)
      %w: f32[s0, 3] = aten::add.Tensor(%z, other=0.0, alpha=2)
      %v: f32[s0, 3] = aten::neg(%w)
      return %v`);
    expect(text(dropZeroTerms(before, target()))).toMatchInlineSnapshot(`
      "user_input %x: f32[s0, 3]
      %y: f32[s0, 3] = aten::relu(%x)
      %v: f32[s0, 3] = aten::neg(%y)
      return %v"
    `);
  });

  it("keeps other numbers, and sums whose dtype follows from the number", () => {
    for (const [dtype, sum] of [
      ["f32", "f32[3] = aten::add.Tensor(%x, other=1)"],
      ["i64", "f32[3] = aten::add.Tensor(%x, other=0.0)"],
    ]) {
      const before = program(`user_input %x: ${dtype}[3]
        %y: ${sum}
        return %y`);
      expect(dropZeroTerms(before, target())).toBe(before);
    }
  });
});
