import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** Defines the upper and lower triangles of matrices. */
export const TRIANGLE_OPS: readonly OpRecord[] = [
  defineOp("aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", {
    decompose: ({ self, diagonal }, b) => triangle(self, diagonal, "le", b),
  }),
  defineOp("aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", {
    decompose: ({ self, diagonal }, b) => triangle(self, diagonal, "ge", b),
  }),
  defineOp(
    "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      infer: ({ row, col, offset, dtype }) => ({
        dtype: dtype ?? "int64",
        shape: [2, lowerCount(row, col, offset)],
      }),
    },
  ),
  defineOp(
    "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    {
      infer: ({ row, col, offset, dtype }) => ({
        dtype: dtype ?? "int64",
        shape: [2, row * col - lowerCount(row, col, offset - 1)],
      }),
    },
  ),
];

/** Keeps the elements whose column minus row compares with `diagonal`, and sets the others to zero. */
function triangle(self: TensorMeta, diagonal: number, compare: "le" | "ge", b: Builder): TensorMeta {
  check(self.shape.length >= 2, "tril/triu: input tensor must have at least 2 dimensions");
  const names = emit(b);
  const { arange, sub, unsqueeze, where } = names;
  const [height, width] = self.shape.slice(-2) as [number, number];
  const distance = sub(arange(width, "int64"), unsqueeze(arange(height, "int64"), 1));
  return where(names[compare](distance, diagonal), self, b.tensor("aten::scalar_tensor", { s: 0, dtype: self.dtype }));
}

/**
 * Counts the elements on and below a diagonal: none in the first rows, one more in each following row, all in the last
 * rows.
 */
function lowerCount(row: number, col: number, offset: number): number {
  check(row >= 0 && col >= 0, `row and col must be non-negative, got ${row} and ${col}`);
  const empty = Math.min(row, Math.max(0, -offset));
  const full = Math.min(row, Math.max(empty, col - offset - 1));
  const growing = full - empty;
  return growing * (empty + offset) + (growing * (growing + 1)) / 2 + (row - full) * col;
}
