import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** Resizes by name, with their spatial dimensions. Those that interpolate take `align_corners`. */
const NEAREST = [1, 2, 3].flatMap((rank) => [
  [`upsample_nearest${rank}d`, rank] as const,
  [`_upsample_nearest_exact${rank}d`, rank] as const,
]);
const INTERPOLATED = [
  ["upsample_linear1d", 1],
  ["upsample_bilinear2d", 2],
  ["upsample_trilinear3d", 3],
  ["upsample_bicubic2d", 2],
  ["_upsample_bilinear2d_aa", 2],
  ["_upsample_bicubic2d_aa", 2],
] as const;

/** The scale factors of so many spatial dimensions, in the order of the dimensions. */
const SCALES = [[], ["scales"], ["scales_h", "scales_w"], ["scales_d", "scales_h", "scales_w"]] as const;

/** Defines the gradients of resizes. */
export const RESIZE_BACKWARD_OPS: readonly OpRecord[] = [
  ...NEAREST.map(([op, rank]) => resizeBackward(op, rank, "")),
  ...INTERPOLATED.map(([op, rank]) => resizeBackward(op, rank, "bool align_corners, ")),
];

function resizeBackward(op: string, rank: number, corners: string): OpRecord {
  const [name, scales] = [op.replace(/_aa$/, ""), SCALES[rank]!];
  const factors = scales.map((scale) => `float? ${scale}=None`).join(", ");
  return defineOp(
    `aten::${name}_${op === name ? "" : "aa_"}backward(Tensor grad_output, SymInt[${rank}] output_size, SymInt[${rank + 2}] input_size, ${corners}${factors}) -> Tensor`,
    {
      infer(args) {
        const { grad_output, input_size } = args as unknown as ResizeGradient;
        return { dtype: grad_output.dtype, shape: input_size };
      },
      decompose(args, b) {
        const { output_size, input_size } = args as unknown as ResizeGradient;
        const lines = scales.map((scale, i): Line => {
          const factor = (args as unknown as Record<string, number | null>)[scale] ?? null;
          return { size: input_size[i + 2]!, to: output_size[i]!, scale: factor };
        });
        return resizedBack(b, op, args as unknown as ResizeGradient, lines);
      },
    },
  );
}

/** What all of them take, besides scale factors. */
interface ResizeGradient {
  readonly grad_output: TensorMeta;
  readonly output_size: readonly number[];
  readonly input_size: readonly number[];
  readonly align_corners?: boolean;
}

/** How one dimension is resized. */
interface Line {
  readonly size: number;
  readonly to: number;
  readonly scale: number | null;
}

/** A resize multiplies by one matrix for each dimension; its gradient by their transposes. */
function resizedBack(
  b: Builder,
  op: string,
  { grad_output, align_corners }: ResizeGradient,
  lines: readonly Line[],
): TensorMeta {
  const e = emit(b);
  const scales = SCALES[lines.length]!;
  /** The matrix of a dimension: what the resize makes of the unit vectors. */
  const matrix = ({ size, to, scale }: Line, at: number): TensorMeta => {
    const unit = b.tensor("aten::eye", { n: size, dtype: grad_output.dtype });
    const beside = (n: number): readonly number[] => lines.map((_, i) => (i === at ? n : 1));
    const resized = b.tensor(`aten::${op}` as string, {
      self: e.reshape(unit, [1, size, ...beside(size)]),
      output_size: beside(to),
      ...(align_corners === undefined ? {} : { align_corners }),
      ...Object.fromEntries(scales.map((name, i) => [name, i === at ? scale : null])),
    });
    return e.reshape(resized, [size, to]);
  };
  return lines.reduce((grad, line, at) => {
    const dim = at + 2;
    const self = e.transpose(grad, dim, -1);
    return e.transpose(b.tensor("aten::matmul", { self, other: e.transpose(matrix(line, at), 0, 1) }), dim, -1);
  }, grad_output);
}
