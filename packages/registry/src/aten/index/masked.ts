import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { broadcast, numel, range } from "../support/dims.ts";
import { checkSameDtype } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { requireData } from "../support/require-data.ts";

/** Defines ops with masks, and the positions of nonzero elements. The size of most results depends on data. */
export const MASKED_OPS: readonly OpRecord[] = [
  defineOp("aten::masked_select(Tensor self, Tensor mask) -> Tensor", {
    infer: ({ self, mask }) => {
      check(mask.dtype === "bool", () => `masked_select: expected BoolTensor for mask, got ${mask.dtype}`);
      return { dtype: self.dtype, shape: [numel(broadcast(self.shape, mask.shape))] };
    },
    decompose: ({ self, mask }, b) => {
      const e = emit(b);
      const shape = broadcast(self.shape, mask.shape);
      return b.tensor("aten::index.Tensor", { self: e.expand(self, shape), indices: [e.expand(mask, shape)] });
    },
    dynamic: true,
  }),
  defineOp("aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", {
    infer: ({ self, mask, source }) => {
      check(mask.dtype === "bool", () => `masked_scatter: expected BoolTensor for mask, got ${mask.dtype}`);
      checkSameDtype("masked_scatter", self, source);
      return { dtype: self.dtype, shape: broadcast(self.shape, mask.shape) };
    },
    decompose: ({ self, mask, source }, b) => {
      const e = emit(b);
      const shape = broadcast(self.shape, mask.shape);
      const count = numel(shape);
      const needed = e.sum(e.cast(e.expand(mask, shape), "int64"), []);
      const enough = e.le(needed, numel(source.shape));
      requireData(b, enough, "masked_scatter: Number of elements of source < number of ones in mask");
      if (count === 0 || numel(source.shape) === 0) return e.expand(self, shape);
      // The k-th true element of the mask takes the k-th element of `source`.
      const chosen = e.reshape(e.expand(mask, shape), [count]);
      const rank = e.sub(b.tensor("aten::cumsum", { self: e.cast(chosen, "int64"), dim: 0 }), 1);
      const index = b.tensor("aten::clamp", { self: rank, min: 0, max: numel(source.shape) - 1 });
      const values = b.tensor("aten::index_select", { self: e.reshape(source, [numel(source.shape)]), dim: 0, index });
      return e.where(mask, e.reshape(values, shape), e.expand(self, shape));
    },
  }),
  defineOp("aten::nonzero(Tensor self) -> Tensor", {
    infer: ({ self }) => positions(self),
    dynamic: true,
  }),
  defineOp("aten::argwhere(Tensor self) -> Tensor", {
    infer: ({ self }) => positions(self),
    decompose: ({ self }, b) => b.tensor("aten::nonzero", { self }),
    dynamic: true,
  }),
  defineOp("aten::nonzero_numpy(Tensor self) -> Tensor[]", { infer: ({ self }) => columns(self), dynamic: true }),
  defineOp("aten::where(Tensor condition) -> Tensor[]", {
    infer: ({ condition }) => columns(condition),
    dynamic: true,
  }),
  defineOp("aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", {
    infer: ({ self, size }) => {
      check(size >= 0, "nonzero_static: 'size' must be an non-negative integer");
      return { dtype: "int64", shape: [size, self.shape.length] };
    },
    decompose: ({ self, size, fill_value }, b) => {
      const e = emit(b);
      const [count, rank] = [numel(self.shape), self.shape.length];
      if (count === 0 || size === 0 || rank === 0) return null;
      // Each true element writes to the row of its rank; the others write to an extra row at the end, which is cut off.
      const chosen = e.ne(e.reshape(self, [count]), 0);
      const order = e.sub(b.tensor("aten::cumsum", { self: e.cast(chosen, "int64"), dim: 0 }), 1);
      const row = e.where(b.tensor("aten::logical_and", { self: chosen, other: e.lt(order, size) }), order, size);
      const flat = b.tensor("aten::scatter.src", {
        self: e.full([size + 1], -1, "int64"),
        dim: 0,
        index: row,
        src: e.arange(count, "int64"),
      });
      const kept = e.slice(flat, 0, 0, size);
      const coordinates = range(rank).map((d) => {
        const step = numel(self.shape.slice(d + 1));
        const quotient = b.tensor("aten::div.Tensor_mode", { self: kept, other: step, rounding_mode: "floor" });
        return e.where(
          e.lt(kept, 0),
          fill_value,
          b.tensor("aten::remainder.Scalar", { self: quotient, other: self.shape[d]! }),
        );
      });
      return b.tensor("aten::stack", { tensors: coordinates, dim: 1 });
    },
  }),
];

function positions(self: TensorMeta): TensorMeta {
  return { dtype: "int64", shape: [numel(self.shape), self.shape.length] };
}

/** Returns one list of positions per dimension; a 0-d tensor counts as 1-d. */
function columns(self: TensorMeta): readonly TensorMeta[] {
  return range(Math.max(1, self.shape.length)).map(() => ({ dtype: "int64", shape: [numel(self.shape)] }));
}
