import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { pick, sort } from "./sort.ts";

type Found = readonly [TensorMeta, TensorMeta];

/** Medians (the lower one of two) and the most frequent value. */
export const MEDIAN_OPS: readonly OpRecord[] = [
  defineOp("aten::median(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => median(b, flattened(b, self), 0, false)[0],
  }),
  defineOp("aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => median(b, self, dim, keepdim),
  }),
  defineOp("aten::nanmedian(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => nanmedian(b, flattened(b, self), 0, false)[0],
  }),
  defineOp("aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => nanmedian(b, self, dim, keepdim),
  }),
  defineOp("aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", {
    decompose: ({ self, dim, keepdim }, b) => {
      const e = emit(b);
      if (self.shape.length === 0) return [b.tensor("aten::clone", { self }), e.full([], 0, "int64")];
      const at = wrapDim(dim, self.shape.length);
      const size = self.shape[at]!;
      check(size > 0, "mode(): Expected reduction dim to have non-zero size.");
      // Of the most frequent values the smallest, and the last place where it stands.
      const [values] = sort(b, self, at, false);
      const moved = e.transpose(values, at, -1);
      const counts = e.transpose(e.sum(e.eq(e.unsqueeze(moved, -1), e.unsqueeze(moved, -2)), [-1]), at, -1);
      const index = b.tensor("aten::argmax", { self: counts, dim: at, keepdim: true });
      const value = b.tensor("aten::gather", { self: values, dim: at, index });
      const hits = b.tensor("aten::flip", { self: e.cast(e.eq(self, value), "uint8"), dims: [at] });
      const last = e.sub(size - 1, b.tensor("aten::argmax", { self: hits, dim: at, keepdim: true }));
      return keepdim ? [value, last] : [e.squeeze(value, at), e.squeeze(last, at)];
    },
  }),
];

function flattened(b: Builder, self: TensorMeta): TensorMeta {
  check(numel(self.shape) > 0, "median() operation does not have an identity for an empty tensor");
  return emit(b).reshape(self, [numel(self.shape)]);
}

/** Sorting puts NaN last; a row with one has NaN for its median, at the first place where one stands. */
function median(b: Builder, self: TensorMeta, dim: number, keepdim: boolean): Found {
  const at = wrapDim(dim, self.shape.length);
  const size = self.shape[at] ?? 1;
  check(size > 0, "median(): Expected reduction dim to have non-zero size.");
  const found = pick(b, sort(b, self, at, false), at, Math.floor((size - 1) / 2), keepdim);
  if (!isFloat(self.dtype)) return found;
  const e = emit(b);
  const missing = b.tensor("aten::isnan", { self });
  const any = b.tensor("aten::any.dim", { self: missing, dim: at, keepdim });
  const first = b.tensor("aten::argmax", { self: e.cast(missing, "uint8"), dim: at, keepdim });
  return [e.where(any, { float: Number.NaN }, found[0]), e.where(any, first, found[1])];
}

/** The middle of those that are numbers: its place differs from row to row. */
function nanmedian(b: Builder, self: TensorMeta, dim: number, keepdim: boolean): Found {
  if (!isFloat(self.dtype) || self.shape.length === 0) return median(b, self, dim, keepdim);
  const e = emit(b);
  const at = wrapDim(dim, self.shape.length);
  check(self.shape[at]! > 0, "median(): Expected reduction dim to have non-zero size.");
  const numbers = e.sum(b.tensor("aten::logical_not", { self: b.tensor("aten::isnan", { self }) }), [at], true);
  const half = b.tensor("aten::div.Tensor_mode", { self: e.sub(numbers, 1), other: 2, rounding_mode: "floor" });
  const index = e.clampMin(half, 0);
  const middle = (x: TensorMeta): TensorMeta => {
    const picked = b.tensor("aten::gather", { self: x, dim: at, index });
    return keepdim ? picked : e.squeeze(picked, at);
  };
  const [values, indices] = sort(b, self, at, false);
  return [middle(values), middle(indices)];
}
