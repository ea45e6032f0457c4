import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";

/** Defines reductions. */
export const REDUCTION_PRIMS: readonly OpRecord[] = [
  ...(["amax", "amin"] as const).map((name) =>
    defineOp(`prims::${name}(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor`, {
      decompose({ inp, dims, output_dtype }, b) {
        return converted(b.tensor(`aten::${name}`, { self: inp, dim: dims ?? allOf(inp) }), output_dtype, b);
      },
    }),
  ),
  defineOp("prims::sum(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", {
    decompose: ({ inp, dims, output_dtype }, b) =>
      b.tensor("aten::sum.dim_IntList", { self: inp, dim: dims ?? allOf(inp), dtype: output_dtype }),
  }),
  defineOp("prims::prod(Tensor inp, int[]? dims, *, ScalarType? output_dtype=None) -> Tensor", {
    decompose({ inp, dims, output_dtype }, b) {
      const last = [...(dims ?? allOf(inp))].sort((x, y) => y - x);
      if (last.length === 0) return b.tensor("aten::prod", { self: inp, dtype: output_dtype });
      return last.reduce((self, dim) => b.tensor("aten::prod.dim_int", { self, dim, dtype: output_dtype }), inp);
    },
  }),
  defineOp("prims::var(Tensor inp, int[]? dims, float? correction=1, *, ScalarType? output_dtype=None) -> Tensor", {
    decompose({ inp, dims, correction, output_dtype }, b) {
      const given = correction === null ? null : { float: correction };
      const dim = dims ?? allOf(inp);
      return converted(b.tensor("aten::var.correction", { self: inp, dim, correction: given }), output_dtype, b);
    },
  }),
];

function allOf({ shape }: TensorMeta): readonly number[] {
  return shape.map((_, dim) => dim);
}

function converted(a: TensorMeta, dtype: DType | null, b: Builder): TensorMeta {
  return dtype === null || dtype === a.dtype ? a : b.tensor("prims::convert_element_type", { a, dtype });
}
