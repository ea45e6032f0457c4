import { describe, expect, it } from "vitest";
import { fuseEpilogues } from "./fuse-epilogues.ts";
import { lowerLinears } from "./lower-linear.ts";
import { cancelConversions, narrowWeights } from "./narrow-weights.ts";
import { cpu, program, text } from "./passes.test-helper.ts";

const before = program(`parameter "w" = %w: f32[256, 256]
  parameter "b" = %b: f32[256]
  user_input %x: f32[8, 256]
  %y: f32[8, 256] = aten::linear(input=%x, weight=%w, bias=%b)
  %r: f32[8, 256] = aten::relu(%y)
  %z: f32[8, 256] = aten::linear(input=%r, weight=%w)
  return %z`);

describe("narrowWeights", () => {
  it("computes products in bfloat16, and converts between them only once", () => {
    const target = { ...cpu(), weights: "bfloat16" } as const;
    const passes = [narrowWeights, lowerLinears, fuseEpilogues, cancelConversions];
    expect(text(passes.reduce((current, pass) => pass(current, target), before))).toMatchInlineSnapshot(`
      "parameter "w" = %w: f32[256, 256]
      parameter "b" = %b: f32[256]
      user_input %x: f32[8, 256]
      %to: bf16[8, 256] = aten::to.dtype(%x, dtype=torch.bfloat16)
      %to_1: bf16[256, 256] = aten::to.dtype(%w, dtype=torch.bfloat16)
      %to_2: bf16[256] = aten::to.dtype(%b, dtype=torch.bfloat16)
      %contiguous: bf16[256, 256] = aten::contiguous(%to_1)
      %reorder_linear_weight: bf16[256, 256] = mkldnn::_reorder_linear_weight(%contiguous, batch_size=8)
      %linear_pointwise: bf16[8, 256] = mkldnn::_linear_pointwise(X=%to, W=%reorder_linear_weight, B=%to_2, attr="none", scalars=[], algorithm="")
      %relu_: bf16[8, 256] = aten::relu_(%linear_pointwise)
      %to_5: bf16[256, 256] = aten::to.dtype(%w, dtype=torch.bfloat16)
      %contiguous_1: bf16[256, 256] = aten::contiguous(%to_5)
      %reorder_linear_weight_1: bf16[256, 256] = mkldnn::_reorder_linear_weight(%contiguous_1, batch_size=8)
      %linear_pointwise_1: bf16[8, 256] = mkldnn::_linear_pointwise(X=%relu_, W=%reorder_linear_weight_1, B=none, attr="none", scalars=[], algorithm="")
      %to_6: f32[8, 256] = aten::to.dtype(%linear_pointwise_1, dtype=torch.float32)
      return %to_6"
    `);
  });

  it("does nothing unless asked", () => {
    expect(narrowWeights(before, cpu())).toBe(before);
  });
});
