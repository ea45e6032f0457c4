import { describe, expect, it } from "vitest";
import { distributeConcatenations } from "./distribute-concatenations.ts";
import { foldBatchNorms } from "./fold-batch-norm.ts";
import { program, target, text } from "./rewrites.test-helper.ts";

const WEIGHTS = `parameter "k" = %k: f32[2, 3, 1, 1]
  parameter "l" = %l: f32[4, 3, 1, 1]
  parameter "g" = %g: f32[6]
  parameter "h" = %h: f32[6]
  buffer "m" = %m: f32[6]
  buffer "v" = %v: f32[6]
  user_input %x: f32[1, 3, 8, 8]`;
const PARTS = `%c: f32[1, 2, 8, 8] = aten::conv2d(input=%x, weight=%k)
  %d: f32[1, 4, 8, 8] = aten::conv2d(input=%x, weight=%l)`;
const CAT = "%e: f32[1, 6, 8, 8] = aten::cat(tensors=[%c, %d], dim=1)";
const NORM =
  "%y: f32[1, 6, 8, 8] = aten::batch_norm(input=%e, weight=%g, bias=%h, running_mean=%m, running_var=%v, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)";

const of = (...lines: readonly string[]): ReturnType<typeof program> => program([WEIGHTS, PARTS, ...lines].join("\n"));

describe("distributeConcatenations", () => {
  it("normalizes and activates convolutions before they are put side by side", () => {
    const before = of(CAT, NORM, "%z: f32[1, 6, 8, 8] = aten::silu(self=%y)", "return %z");
    const after = distributeConcatenations(before, target());
    expect(text(after)).toMatchInlineSnapshot(`
      "parameter "k" = %k: f32[2, 3, 1, 1]
      parameter "l" = %l: f32[4, 3, 1, 1]
      parameter "g" = %g: f32[6]
      parameter "h" = %h: f32[6]
      buffer "m" = %m: f32[6]
      buffer "v" = %v: f32[6]
      user_input %x: f32[1, 3, 8, 8]
      %c: f32[1, 2, 8, 8] = aten::conv2d(input=%x, weight=%k)
      %d: f32[1, 4, 8, 8] = aten::conv2d(input=%x, weight=%l)
      %slice: f32[2] = aten::slice.Tensor(%g, dim=0, start=0, end=2)
      %slice_1: f32[2] = aten::slice.Tensor(%h, dim=0, start=0, end=2)
      %slice_2: f32[2] = aten::slice.Tensor(%m, dim=0, start=0, end=2)
      %slice_3: f32[2] = aten::slice.Tensor(%v, dim=0, start=0, end=2)
      %batch_norm: f32[1, 2, 8, 8] = aten::batch_norm(input=%c, weight=%slice, bias=%slice_1, running_mean=%slice_2, running_var=%slice_3, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)
      %slice_4: f32[4] = aten::slice.Tensor(%g, dim=0, start=2, end=6)
      %slice_5: f32[4] = aten::slice.Tensor(%h, dim=0, start=2, end=6)
      %slice_6: f32[4] = aten::slice.Tensor(%m, dim=0, start=2, end=6)
      %slice_7: f32[4] = aten::slice.Tensor(%v, dim=0, start=2, end=6)
      %batch_norm_1: f32[1, 4, 8, 8] = aten::batch_norm(input=%d, weight=%slice_4, bias=%slice_5, running_mean=%slice_6, running_var=%slice_7, training=false, momentum=0.1, eps=0.001, cudnn_enabled=false)
      %silu: f32[1, 2, 8, 8] = aten::silu(%batch_norm)
      %silu_1: f32[1, 4, 8, 8] = aten::silu(%batch_norm_1)
      %cat_1: f32[1, 6, 8, 8] = aten::cat(tensors=[%silu, %silu_1], dim=1)
      return %cat_1"
    `);
    expect(text(foldBatchNorms(after, target()))).not.toContain("batch_norm");
  });

  it("keeps parts that are converted to the dtype of another part", () => {
    const before = program(`parameter "k" = %k: f16[2, 3, 1, 1]
      parameter "l" = %l: f32[4, 3, 1, 1]
      user_input %w: f16[1, 3, 8, 8]
      user_input %x: f32[1, 3, 8, 8]
      %c: f16[1, 2, 8, 8] = aten::conv2d(input=%w, weight=%k)
      %d: f32[1, 4, 8, 8] = aten::conv2d(input=%x, weight=%l)
      ${CAT}
      %z: f32[1, 6, 8, 8] = aten::silu(self=%e)
      return %z`);
    expect(distributeConcatenations(before, target())).toBe(before);
  });

  it("keeps what something else reads, what is put together along another dimension, and what is no convolution", () => {
    const relu = "%z: f32[1, 6, 8, 8] = aten::relu(self=%e)";
    for (const before of [
      of(CAT, relu, "return %z, %c"),
      of(CAT, relu, "return %z, %e"),
      of("%d2: f32[1, 4, 8, 8] = aten::neg(self=%d)", CAT.replace("%d]", "%d2]"), relu, "return %z"),
      of(
        "%e: f32[2, 2, 8, 8] = aten::cat(tensors=[%c, %c], dim=0)",
        "%z: f32[2, 2, 8, 8] = aten::relu(self=%e)",
        "return %z",
      ),
      of(CAT, NORM.replace("training=false", "training=true"), "return %y"),
    ]) {
      expect(distributeConcatenations(before, target())).toBe(before);
    }
  });
});
