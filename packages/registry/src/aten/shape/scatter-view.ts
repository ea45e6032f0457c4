import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Strided, TensorMeta } from "../../tensor-meta.ts";
import { contiguous, requireInside } from "../../view.ts";
import { check, show } from "../support/check.ts";
import { numel, sameShape, wrapDim } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { restrided } from "../view/geometry.ts";
import { diagonal } from "../view/rearrange.ts";

/** Defines the functional form of a write through a view: `self` with the elements of one view replaced by `src`. */
export const SCATTER_VIEW_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    {
      infer: ({ self }) => ({ dtype: self.dtype, shape: self.shape }),
      decompose({ self, src, dim, start, end, step }, b) {
        const d = wrapDim(dim, self.shape.length);
        const view = b.tensor("aten::slice.Tensor", { self, dim: d, start, end, step });
        const piece = fit(src, view, "slice_scatter", b);
        const size = self.shape[d]!;
        const from = Math.max(0, Math.min(size, (start ?? 0) < 0 ? (start ?? 0) + size : (start ?? 0)));
        return step === 1 ? between(self, piece, d, from, b) : strided(self, piece, d, from, step, b);
      },
    },
  ),
  defineOp("aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", {
    infer: ({ self }) => ({ dtype: self.dtype, shape: self.shape }),
    decompose({ self, src, dim, index }, b) {
      const d = wrapDim(dim, self.shape.length);
      const view = b.tensor("aten::select.int", { self, dim: d, index });
      const piece = emit(b).unsqueeze(fit(src, view, "select_scatter", b), d);
      return between(self, piece, d, index < 0 ? index + self.shape[d]! : index, b);
    },
  }),
  defineOp("aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", {
    infer: ({ self }) => ({ dtype: self.dtype, shape: self.shape }),
    decompose({ self, src, offset, dim1, dim2 }, b) {
      const view = diagonal(contiguous(self.shape), offset, dim1, dim2);
      requireSameShape(src, view, "diagonal_scatter");
      const { shape: size, strides: stride, offset: storage_offset } = view;
      return b.tensor("aten::as_strided_scatter", { self, src, size, stride, storage_offset });
    },
  }),
  defineOp(
    "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
    {
      infer({ self, src, size, stride, storage_offset }) {
        const view = restrided(contiguous(self.shape), size, stride, storage_offset)!;
        requireInside(view, numel(self.shape), "as_strided_scatter");
        requireSameShape(src, view, "as_strided_scatter");
        return { dtype: self.dtype, shape: self.shape };
      },
    },
  ),
];

function requireSameShape(src: TensorMeta, view: Pick<Strided, "shape">, op: string): void {
  check(
    sameShape(src.shape, view.shape),
    () =>
      `${op}: expected src to have a size equal to the slice of self. src size = ${show(src.shape)}, slice size = ${show(view.shape)}`,
  );
}

function fit(src: TensorMeta, view: TensorMeta, op: string, b: Builder): TensorMeta {
  requireSameShape(src, view, op);
  return emit(b).cast(src, view.dtype);
}

function between(self: TensorMeta, piece: TensorMeta, d: number, from: number, b: Builder): TensorMeta {
  const { cat, slice } = emit(b);
  const size = self.shape[d]!;
  const length = piece.shape[d]!;
  if (length === 0) return self;
  const parts = [
    ...(from > 0 ? [slice(self, d, 0, from)] : []),
    piece,
    ...(from + length < size ? [slice(self, d, from + length, size)] : []),
  ];
  return cat(parts, d);
}

/** Each element gathers its replacement, and takes it if the slice contains the element. */
function strided(self: TensorMeta, piece: TensorMeta, d: number, from: number, step: number, b: Builder): TensorMeta {
  const { arange, eq, ge, lt, reshape, sub, where } = emit(b);
  const size = self.shape[d]!;
  const length = piece.shape[d]!;
  if (length === 0) return self;
  const distance = sub(arange(size, "int64"), from);
  const nearest = b.tensor("aten::floor_divide.Scalar", { self: distance, other: step });
  const onStep = eq(b.tensor("aten::remainder.Scalar", { self: distance, other: step }), 0);
  const inside = b.tensor("aten::logical_and", { self: ge(distance, 0), other: lt(nearest, length) });
  const hit = b.tensor("aten::logical_and", { self: onStep, other: inside });
  const index = b.tensor("aten::clamp", { self: nearest, min: 0, max: length - 1 });
  const spread = b.tensor("aten::index_select", { self: piece, dim: d, index });
  return where(
    reshape(
      hit,
      self.shape.map((_, i) => (i === d ? size : 1)),
    ),
    spread,
    self,
  );
}
