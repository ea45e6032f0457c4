import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that reorder elements along dimensions. */
export const FLIP_OPS: readonly OpRecord[] = [
  defineOp("aten::flip(Tensor self, int[] dims) -> Tensor", {
    infer({ self, dims }) {
      flippedDims(self, dims);
      return { dtype: self.dtype, shape: self.shape };
    },
    decompose: ({ self, dims }, b) => flip(self, dims, b),
  }),
  defineOp("aten::fliplr(Tensor self) -> Tensor", {
    decompose({ self }, b) {
      check(self.shape.length >= 2, "Input must be >= 2-d.");
      return b.tensor("aten::flip", { self, dims: [1] });
    },
  }),
  defineOp("aten::flipud(Tensor self) -> Tensor", {
    decompose({ self }, b) {
      check(self.shape.length >= 1, "Input must be >= 1-d.");
      return b.tensor("aten::flip", { self, dims: [0] });
    },
  }),
  defineOp("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", {
    decompose: ({ self, shifts, dims }, b) => roll(self, shifts, dims, b),
  }),
  defineOp("aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", {
    decompose({ self, k, dims }, b) {
      const [from, to] = dims.map((dim) => wrapDim(dim, self.shape.length));
      check(dims.length === 2 && from !== to, "expected total rotation dims == 2, and different");
      const turns = ((k % 4) + 4) % 4;
      if (turns === 0) return self;
      if (turns === 2) return b.tensor("aten::flip", { self, dims });
      const flipped = b.tensor("aten::flip", { self, dims: [turns === 1 ? to! : from!] });
      return emit(b).transpose(flipped, from!, to!);
    },
  }),
];

function flippedDims(self: TensorMeta, dims: readonly number[]): readonly number[] {
  const wrapped = dims.map((dim) => wrapDim(dim, self.shape.length));
  check(new Set(wrapped).size === wrapped.length, "dim appears multiple times in the list of dims");
  return wrapped;
}

function flip(self: TensorMeta, dims: readonly number[], b: Builder): TensorMeta {
  return flippedDims(self, dims)
    .filter((d) => (self.shape[d] ?? 1) > 1)
    .reduce((tensor, dim) => {
      const { arange, sub } = emit(b);
      const last = tensor.shape[dim]! - 1;
      const index = sub(last, arange(last + 1, "int64"));
      return b.tensor("aten::index_select", { self: tensor, dim, index });
    }, self);
}

function roll(self: TensorMeta, shifts: readonly number[], dims: readonly number[], b: Builder): TensorMeta {
  const { reshape, slice, cat } = emit(b);
  if (dims.length === 0) {
    check(shifts.length === 1, "shifts must be one number when dims is not given");
    const flat = roll(reshape(self, [numel(self.shape)]), shifts, [0], b);
    return reshape(flat, self.shape);
  }
  check(
    shifts.length === dims.length,
    `shifts and dimensions must align. shifts: ${shifts.length}, dims:${dims.length}`,
  );
  return shifts.reduce((tensor, shift, i) => {
    const dim = wrapDim(dims[i]!, tensor.shape.length);
    const size = tensor.shape[dim] ?? 1;
    const start = size === 0 ? 0 : (((size - shift) % size) + size) % size;
    return start === 0 ? tensor : cat([slice(tensor, dim, start, size), slice(tensor, dim, 0, start)], dim);
  }, self);
}
