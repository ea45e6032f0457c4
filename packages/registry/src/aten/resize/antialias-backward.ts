import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** Defines the backward ops of resizes with antialiasing. */
export const ANTIALIAS_BACKWARD_OPS: readonly OpRecord[] = (["bilinear", "bicubic"] as const).map((mode) =>
  defineOp(
    `aten::_upsample_${mode}2d_aa_backward(Tensor grad_output, SymInt[2] output_size, SymInt[4] input_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor`,
    {
      infer: ({ grad_output, input_size }) => ({
        dtype: (grad_output as TensorMeta).dtype,
        shape: input_size as readonly number[],
      }),
      decompose: (args, b) => resizedBack(b, mode, args as unknown as ResizeGradient),
    },
  ),
);

interface ResizeGradient {
  readonly grad_output: TensorMeta;
  readonly output_size: readonly number[];
  readonly input_size: readonly number[];
  readonly align_corners: boolean;
  readonly scales_h: number | null;
  readonly scales_w: number | null;
}

/** A resize multiplies by one matrix for the rows and one for the columns; its gradient by their transposes. */
function resizedBack(b: Builder, mode: string, args: ResizeGradient): TensorMeta {
  const { grad_output, output_size, input_size, align_corners, scales_h, scales_w } = args;
  const e = emit(b);
  const [height, width] = input_size.slice(2) as [number, number];
  /** The matrix of the rows: what the resize makes of the unit vectors. */
  const matrix = (size: number, to: number, scale: number | null): TensorMeta => {
    const unit = b.tensor("aten::eye", { n: size, dtype: grad_output.dtype });
    const resized = b.tensor(`aten::_upsample_${mode}2d_aa` as string, {
      self: e.reshape(unit, [1, 1, size, size]),
      output_size: [to, size],
      align_corners,
      scales_h: scale,
      scales_w: null,
    });
    return e.reshape(resized, [to, size]);
  };
  const rows = matrix(height, output_size[0]!, scales_h);
  const columns = matrix(width, output_size[1]!, scales_w);
  const narrow = b.tensor("aten::matmul", { self: grad_output, other: columns });
  return b.tensor("aten::matmul", { self: e.transpose(rows, 0, 1), other: narrow });
}
