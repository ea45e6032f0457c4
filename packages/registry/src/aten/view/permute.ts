import { defineOp, type OpRecord } from "../../op.ts";
import type { Strided } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { permuteTo, selectAt, sliceOf, swap } from "./geometry.ts";

/** Defines the common views that reorder dimensions or select elements. */
export const PERMUTE_OPS: readonly OpRecord[] = [
  defineOp("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", {
    inverse: "permute",
    view: (self, { dims }) => permuteTo(self, dims),
  }),
  defineOp("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", {
    inverse: { undo: "aten::transpose.int" },
    view: (self, { dim0, dim1 }) => swap(self, dim0, dim1),
    inPlace: ["aten::transpose_"],
  }),
  defineOp("aten::t(Tensor(a) self) -> Tensor(a)", {
    inverse: { undo: "aten::t" },
    view: (self) => transposeMatrix(self),
  }),
  defineOp("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", {
    inverse: { scatter: "aten::select_scatter" },
    view: (self, { dim, index }) => selectAt(self, dim, index),
  }),
  defineOp(
    "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
    {
      inverse: { scatter: "aten::slice_scatter" },
      view: (self, { dim, start, end, step }) => sliceOf(self, dim, start, end, step),
    },
  ),
];

function transposeMatrix(self: Strided): Strided {
  const rank = self.shape.length;
  check(rank <= 2, `t() expects a tensor with <= 2 dimensions, but self is ${rank}D`);
  return rank < 2 ? self : swap(self, 0, 1);
}
