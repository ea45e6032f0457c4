import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that combine neighboring elements. */
export const DIFFERENCE_OPS: readonly OpRecord[] = [
  defineOp("aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", {
    decompose({ self, n, dim, prepend, append }, b) {
      check(self.shape.length > 0, "diff expects input to be at least one-dimensional");
      check(n >= 0, `order must be non-negative but got ${n}`);
      const d = wrapDim(dim, self.shape.length);
      // PyTorch ignores `prepend` and `append` in this case.
      if (n === 0) return b.tensor("aten::clone", { self });
      let result = emit(b).cat(
        [prepend, self, append].filter((part) => part !== null),
        d,
      );
      const orders = Math.min(n, result.shape[d]!);
      for (let order = 0; order < orders; order++) result = difference(result, d, b);
      return result;
    },
  }),
  defineOp("aten::cartesian_prod(Tensor[] tensors) -> Tensor", {
    inverse: "reshape",
    requires: { same: ["tensors"], ranks: { tensors: [1] } },
    decompose({ tensors }, b) {
      if (tensors.length === 1) return tensors[0]!;
      const grids = b.call("aten::meshgrid", { tensors })[0];
      const { reshape } = emit(b);
      const columns = grids.map((grid) => reshape(grid, [numel(grid.shape)]));
      return b.tensor("aten::stack", { tensors: columns, dim: 1 });
    },
  }),
  defineOp("aten::sum_to_size(Tensor self, SymInt[] size) -> Tensor", {
    decompose({ self, size }, b) {
      const { reshape, sum } = emit(b);
      if (size.length === 0) return sum(self, []);
      const lead = self.shape.length - size.length;
      const dims = self.shape.map((_, d) => d).filter((d) => d < lead || (size[d - lead] === 1 && self.shape[d] !== 1));
      return dims.length === 0 ? self : reshape(sum(self, dims), size);
    },
  }),
];

function neighbors(self: TensorMeta, d: number, b: Builder): readonly [TensorMeta, TensorMeta] {
  const { slice } = emit(b);
  const size = self.shape[d]!;
  return [slice(self, d, 0, Math.max(0, size - 1)), slice(self, d, Math.min(1, size), size)];
}

function difference(self: TensorMeta, d: number, b: Builder): TensorMeta {
  const [left, right] = neighbors(self, d, b);
  if (self.dtype === "bool") return b.tensor("aten::logical_xor", { self: right, other: left });
  return emit(b).sub(right, left);
}
