import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { found, pick, sort } from "./sort.ts";

type Found = readonly [TensorMeta, TensorMeta];

/** Defines medians (the lower one of two) and the most frequent value. */
export const MEDIAN_OPS: readonly OpRecord[] = [
  defineOp("aten::median(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => (isNone(self) ? none(self, b) : median(b, flattened(b, self), 0, false)[0]),
  }),
  defineOp("aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => median(b, self, dim, keepdim),
  }),
  defineOp("aten::nanmedian(Tensor self) -> Tensor", {
    decompose: ({ self }, b) =>
      isNone(self)
        ? none(self, b)
        : b.call("aten::nanmedian.dim", { self: flattened(b, self), dim: 0, keepdim: false })[0],
  }),
  defineOp("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    infer: ({ self, dim, keepdim }) => {
      check(self.dtype !== "bool" && !isComplex(self.dtype), () => `median not implemented for ${self.dtype}`);
      const at = wrapDim(dim, self.shape.length);
      check(self.shape[at] !== 0, "median(): Expected reduction dim to have non-zero size.");
      return found(self, at, keepdim);
    },
  }),
  defineOp("aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    infer: ({ self, dim, keepdim }) => {
      check(!isComplex(self.dtype), () => `mode not implemented for ${self.dtype}`);
      const at = wrapDim(dim, self.shape.length);
      check(self.shape[at] !== 0, "mode(): Expected reduction dim to have non-zero size.");
      return found(self, at, keepdim);
    },
  }),
];

function isNone({ dtype, shape }: TensorMeta): boolean {
  return isFloat(dtype) && numel(shape) === 0;
}

function none({ dtype }: TensorMeta, b: Builder): TensorMeta {
  return emit(b).full([], { float: Number.NaN }, dtype);
}

function flattened(b: Builder, self: TensorMeta): TensorMeta {
  check(numel(self.shape) > 0, "median() operation does not have an identity for an empty tensor");
  return emit(b).reshape(self, [numel(self.shape)]);
}

/** Sorts NaN last; the median of a row with a NaN is its first NaN. */
function median(b: Builder, self: TensorMeta, dim: number, keepdim: boolean): Found {
  const at = wrapDim(dim, self.shape.length);
  const size = self.shape[at] ?? 1;
  check(size > 0, "median(): Expected reduction dim to have non-zero size.");
  const middle = pick(b, sort(b, self, at), at, Math.floor((size - 1) / 2), keepdim);
  if (!isFloat(self.dtype)) return middle;
  const e = emit(b);
  const missing = b.tensor("aten::isnan", { self });
  const any = b.tensor("aten::any.dim", { self: missing, dim: at, keepdim });
  const first = b.tensor("aten::argmax", { self: e.cast(missing, "uint8"), dim: at, keepdim });
  return [e.where(any, { float: Number.NaN }, middle[0]), e.where(any, first, middle[1])];
}
