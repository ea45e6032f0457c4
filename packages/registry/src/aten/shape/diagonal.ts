import type { Builder } from "../../builder.ts";
import { resultType } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";

/** Defines matrices that are made of their diagonals or blocks. */
export const DIAGONAL_OPS: readonly OpRecord[] = [
  defineOp("aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor", {
    decompose: ({ self, offset, dim1, dim2 }, b) => embedDiagonal(self, offset, dim1, dim2, b),
  }),
  defineOp("aten::diag(Tensor self, int diagonal=0) -> Tensor", {
    decompose({ self, diagonal }, b) {
      const rank = self.shape.length;
      check(rank === 1 || rank === 2, `diag(): Supports 1D or 2D tensors. Got ${rank}D`);
      if (rank === 1) return embedDiagonal(self, diagonal, 0, 1, b);
      return b.tensor("aten::diagonal", { self, offset: diagonal, dim1: 0, dim2: 1 });
    },
  }),
  defineOp("aten::diagflat(Tensor self, int offset=0) -> Tensor", {
    decompose: ({ self, offset }, b) => embedDiagonal(emit(b).reshape(self, [numel(self.shape)]), offset, 0, 1, b),
  }),
  defineOp("aten::block_diag(Tensor[] tensors) -> Tensor", {
    decompose({ tensors }, b) {
      check(tensors.length > 0, "torch.block_diag: expected a non-empty list of Tensors");
      const { cast, cat, reshape } = emit(b);
      const dtype = resultType(tensors);
      const blocks = tensors.map((block) => reshape(cast(block, dtype), matrixShape(block)));
      const width = blocks.reduce((sum, { shape }) => sum + shape[1]!, 0);
      let left = 0;
      const rows = blocks.map((block) => {
        const pad = [left, width - left - block.shape[1]!];
        left += block.shape[1]!;
        return b.tensor("aten::constant_pad_nd", { self: block, pad });
      });
      return cat(rows, 0);
    },
  }),
];

/** Writes the rows of `[..., i]` to where column minus row is `offset`; the rest is zero. */
function embedDiagonal(self: TensorMeta, offset: number, dim1: number, dim2: number, b: Builder): TensorMeta {
  const rank = self.shape.length + 1;
  const [first, second] = [wrapDim(dim1, rank), wrapDim(dim2, rank)];
  check(first !== second, () => `diagonal dimensions cannot be identical ${dim1}, ${dim2}`);
  const { arange, eq, sub, unsqueeze, where } = emit(b);
  const size = (self.shape.at(-1) ?? 1) + Math.abs(offset);
  const pad = offset >= 0 ? [0, offset] : [-offset, 0];
  const values = unsqueeze(b.tensor("aten::constant_pad_nd", { self, pad }), -1);
  const onDiagonal = eq(sub(arange(size, "int64"), unsqueeze(arange(size, "int64"), 1)), offset);
  const zero = b.tensor("aten::scalar_tensor", { s: 0, dtype: self.dtype });
  const matrix = where(onDiagonal, values, zero);
  return b.tensor("aten::movedim.intlist", { self: matrix, source: [-2, -1], destination: [first, second] });
}

function matrixShape({ shape }: TensorMeta): readonly number[] {
  check(shape.length <= 2, "torch.block_diag: Input tensors must have 2 or fewer dimensions");
  return shape.length === 2 ? shape : [1, shape[0] ?? 1];
}
