import { describe, expect, it } from "vitest";
import { keepHalfKeys } from "./half-keys.ts";
import { program, target, text } from "./rewrites.test-helper.ts";
import type { RewriteTarget } from "./target.ts";

const INPUTS = `user_input %q: f32[2, 6, 5, 4]
  user_input %k: bf16[2, 6, 7, 4]
  user_input %v: bf16[2, 6, 7, 4]
  user_input %h: f16[2, 6, 7, 4]
  user_input %w: f32[2, 6, 7, 4]`;
const converted = (to: string, from: string, op = "aten::to.dtype"): string =>
  `%${to}: f32[2, 6, 7, 4] = ${op}(%${from}, dtype=torch.float32)`;
const ATTENTION = `%y: f32[2, 6, 5, 4] = aten::scaled_dot_product_attention(query=%q, key=%a, value=%b, scale=0.5)
  return %y`;
const on: RewriteTarget = { ...target(), has: () => true };

const rewritten = (lines: readonly string[], where = on): string =>
  text(keepHalfKeys(program([INPUTS, ...lines].join("\n  ")), where));

describe("keepHalfKeys", () => {
  it("leaves out conversions of keys and values that attention alone reads", () => {
    const lines = [converted("a", "k"), converted("b", "v", "aten::_to_copy"), ATTENTION];
    expect(rewritten(lines).split("\n").slice(5)).toEqual([
      "%attention_half: f32[2, 6, 5, 4] = pt2::attention_half(query=%q, key=%k, value=%v, scale=0.5)",
      "return %attention_half",
    ]);
  });

  it.each([
    ["values are float32", [converted("a", "k"), "%b: f32[2, 6, 7, 4] = aten::neg(%w)", ATTENTION]],
    ["keys and values are of two dtypes", [converted("a", "k"), converted("b", "h"), ATTENTION]],
    [
      "elements are dropped",
      [converted("a", "k"), converted("b", "v"), ATTENTION.replace("scale=0.5", "dropout_p=0.5")],
    ],
  ])("leaves attention as it is where %s", (_, lines) => {
    expect(rewritten(lines)).not.toContain("attention_half");
  });

  it("leaves attention to a backend without the op", () => {
    const lines = [converted("a", "k"), converted("b", "v"), ATTENTION];
    expect(rewritten(lines, { ...on, has: (op) => op !== "pt2::attention_half" })).not.toContain("attention_half");
  });
});
