import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { broadcast, numel, wrapDim } from "../support/dims.ts";
import { checkIndex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that read elements by position. */
export const GATHER_OPS: readonly OpRecord[] = [
  defineOp("aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", {
    infer: ({ self, dim, index }) => {
      // PyTorch does not check the index if nothing is read.
      if (numel(index.shape) > 0) checkIndex("gather()", index);
      checkWithin("gather", self, dim, index);
      return { dtype: self.dtype, shape: index.shape };
    },
  }),
  defineOp("aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", {
    infer: ({ self, dim, index }) => {
      checkIndex("index_select()", index);
      check(
        index.shape.length <= 1,
        () => `index_select(): Index is supposed to be a vector, but got ${index.shape.length}D`,
      );
      const at = wrapDim(dim, self.shape.length);
      if (self.shape.length === 0)
        check(numel(index.shape) === 1, "index_select(): Index to scalar can have only 1 value");
      return { dtype: self.dtype, shape: self.shape.map((n, d) => (d === at ? numel(index.shape) : n)) };
    },
  }),
  defineOp("aten::take(Tensor self, Tensor index) -> Tensor", {
    decompose: ({ self, index }, b) => {
      const e = emit(b);
      checkIndex("take()", index, false);
      const flat = e.reshape(self, [numel(self.shape)]);
      return b.tensor("aten::index.Tensor", { self: flat, indices: [index] });
    },
  }),
  defineOp("aten::take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", {
    decompose: ({ self, indices, dim }, b) => {
      const e = emit(b);
      checkIndex("take_along_dim()", indices, false);
      if (dim === null) {
        const flat = (x: TensorMeta): TensorMeta => e.reshape(x, [numel(x.shape)]);
        return b.tensor("aten::gather", { self: flat(self), dim: 0, index: flat(indices) });
      }
      check(
        self.shape.length === indices.shape.length,
        () =>
          `torch.take_along_dim(): input and indices should have the same number of dimensions, but got ${self.shape.length} dimensions for input, and ${indices.shape.length} dimensions for indices`,
      );
      const at = wrapDim(dim, self.shape.length);
      const other = (x: TensorMeta): readonly number[] => x.shape.map((n, d) => (d === at ? 1 : n));
      const shape = broadcast(other(self), other(indices));
      const fit = (x: TensorMeta): TensorMeta =>
        e.expand(
          x,
          shape.map((n, d) => (d === at ? x.shape[d]! : n)),
        );
      // With a dimension PyTorch takes the remainder of any index; without one, only indices from 0 on are valid.
      const size = self.shape[at] ?? 1;
      const index = size === 0 ? indices : b.tensor("aten::remainder.Scalar", { self: indices, other: size });
      return b.tensor("aten::gather", { self: fit(self), dim: at, index: fit(index) });
    },
  }),
];

function _zeros(b: Builder, like: TensorMeta): TensorMeta {
  return emit(b).full(like.shape, 0, like.dtype);
}

/** Converts indices that may be negative to non-negative ones, for ops that do not accept negative indices. */
export function fromStart(b: Builder, index: TensorMeta, size: number): TensorMeta {
  const e = emit(b);
  return e.where(e.lt(index, 0), e.add(index, size), index);
}

/** Refuses an `index` that is larger than `self` (or `src`) in a dimension other than `dim`. */
export function checkWithin(op: string, self: TensorMeta, dim: number, index: TensorMeta): void {
  const rank = Math.max(self.shape.length, 1);
  const at = wrapDim(dim, self.shape.length);
  if (numel(index.shape) === 0) return;
  check(
    Math.max(index.shape.length, 1) === rank,
    () => `${op}(): Index tensor must have the same number of dimensions as input tensor`,
  );
  check(
    index.shape.every((n, d) => d === at || n <= (self.shape[d] ?? 1)),
    () =>
      `Size does not match at dimension: expected index ${show(index.shape)} to be no larger than self ${show(self.shape)} apart from dimension ${at}`,
  );
}
