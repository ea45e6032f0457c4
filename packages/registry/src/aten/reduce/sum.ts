import { type DType, isSmallFloat } from "@pt2/format";
import { computeDtype, isBareUnsigned } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { type DimList, numel, reducedDims, reducedShape } from "../support/dims.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines `sum` and `mean`. */
export const SUM_OPS: readonly OpRecord[] = [
  defineOp("aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dtype }, b) => b.tensor("aten::sum.dim_IntList", { self, dim: [], dtype }),
  }),
  defineOp("aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, keepdim, dtype }) => ({ dtype: accumulated(self, dtype), shape: reduced(self, dim, keepdim) }),
    decompose: ({ self, dim, keepdim, dtype }, b) => {
      const result = accumulated(self, dtype);
      if (!isComplex(result)) {
        if (!isRoundedFirst(self, result)) return null;
        return b.tensor("aten::sum.dim_IntList", { self: emit(b).cast(self, result), dim, keepdim, dtype: result });
      }
      if (self.shape.length === 0) return b.tensor("aten::_to_copy", { self, dtype: result });
      // Real and imaginary parts are summed independently.
      const parts = b.tensor("aten::view_as_real", { self: emit(b).cast(self, result) });
      const sums = emit(b).sum(parts, reducedDims(dim, self.shape.length), keepdim);
      return b.tensor("aten::view_as_complex", { self: sums });
    },
  }),
  defineOp("aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dtype }, b) => b.tensor("aten::mean.dim", { self, dim: [], dtype }),
  }),
  defineOp("aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, keepdim, dtype }) => ({ dtype: averaged(self, dtype), shape: reduced(self, dim, keepdim) }),
    decompose: ({ self, dim, keepdim, dtype }, b) => {
      const e = emit(b);
      const result = averaged(self, dtype);
      const dims = reducedDims(dim, self.shape.length);
      const count = numel(dims.map((d) => self.shape[d]!));
      // PyTorch divides the sum in single precision, and rounds once.
      const total = b.tensor("aten::sum.dim_IntList", { self, dim: dims, keepdim, dtype: computeDtype(result) });
      return e.cast(e.div(total, { float: count }), result);
    },
  }),
];

/** Returns the dtype of a sum or a product. */
export function accumulated(self: TensorMeta, dtype: DType | null): DType {
  return dtype ?? (isIntegral(self.dtype) ? "int64" : self.dtype);
}

/**
 * Returns whether elements are converted before they are reduced: to a part of a complex number, to fewer bits, or of
 * integers that no kernel reduces.
 */
export function isRoundedFirst({ dtype }: TensorMeta, result: DType): boolean {
  return isComplex(dtype) || ((isSmallFloat(result) || isBareUnsigned(dtype)) && dtype !== result);
}

function averaged(self: TensorMeta, dtype: DType | null): DType {
  const result = dtype ?? self.dtype;
  check(
    !isIntegral(result),
    () =>
      `mean(): could not infer output dtype. Input dtype must be either a floating point or complex dtype. Got: ${result} for ${show(self.shape)}`,
  );
  return result;
}

/** Returns the shape without the reduced dimensions. */
export function reduced(self: TensorMeta, dim: DimList, keepdim: boolean): readonly number[] {
  return reducedShape(self.shape, reducedDims(dim, self.shape.length), keepdim);
}
