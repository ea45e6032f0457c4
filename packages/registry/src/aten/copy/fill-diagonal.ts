import { defineOp, type OpRecord } from "../../op.ts";
import { check, show } from "../support/check.ts";
import { emit } from "../support/emit.ts";

/** Defines ops that write to a diagonal. */
export const FILL_DIAGONAL_OPS: readonly OpRecord[] = [
  defineOp("aten::fill_diagonal(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", {
    decompose: ({ self, fill_value, wrap }, b) => {
      const { shape } = self;
      check(shape.length >= 2, "dimensions must larger than 1");
      check(
        shape.length === 2 || shape.every((size) => size === shape[0]),
        () => `all dimensions of input must be of equal length, got ${show(shape)}`,
      );
      const e = emit(b);
      const along = shape.map((size, d) =>
        e.reshape(
          e.arange(size, "int64"),
          shape.map((_, k) => (k === d ? size : 1)),
        ),
      );
      // A wrapped diagonal starts again after one row that is left out.
      const rows =
        wrap && shape.length === 2
          ? b.tensor("aten::remainder.Scalar", { self: along[0]!, other: shape[1]! + 1 })
          : along[0]!;
      const equal = along.slice(1).map((at) => e.eq(rows, at));
      const diagonal = equal.reduce((x, y) => b.tensor("aten::logical_and", { self: x, other: y }));
      return b.tensor("aten::masked_fill.Scalar", { self, mask: diagonal, value: fill_value });
    },
  }),
];
