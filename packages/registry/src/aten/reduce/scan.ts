import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { isBareUnsigned } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { wrapDim } from "../support/dims.ts";
import { checkFloating, isFloat, isIntegral } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines running sums, products and extremes. */
export const SCAN_OPS: readonly OpRecord[] = [
  defineOp("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, dtype }) => running(self, dim, dtype),
    decompose: ({ self, dim, dtype }, b) => converted(b, "aten::cumsum", self, dim, dtype),
  }),
  defineOp("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, dtype }) => running(self, dim, dtype),
    decompose: ({ self, dim, dtype }, b) => converted(b, "aten::cumprod", self, dim, dtype),
  }),
  defineOp("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", {
    infer: ({ self, dim }) => extremes(self, dim),
    decompose: ({ self, dim }, b) => runningExtreme(b, self, dim, "aten::amax"),
  }),
  defineOp("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", {
    infer: ({ self, dim }) => extremes(self, dim),
    decompose: ({ self, dim }, b) => runningExtreme(b, self, dim, "aten::amin"),
  }),
  defineOp("aten::_logcumsumexp(Tensor self, int dim) -> Tensor", {
    decompose: ({ self, dim }, b) => b.tensor("aten::logcumsumexp", { self, dim }),
  }),
  defineOp("aten::logcumsumexp(Tensor self, int dim) -> Tensor", {
    infer: ({ self, dim }) => {
      checkFloating("logcumsumexp", self);
      wrapDim(dim, self.shape.length);
      return self;
    },
    decompose: ({ self, dim }, b) => {
      if (self.shape.length === 0) return b.tensor("aten::clone", { self });
      const e = emit(b);
      const { history, restore } = histories(e, self, dim, { float: Number.NEGATIVE_INFINITY });
      return restore(b.tensor("aten::logsumexp", { self: history, dim: [-1], keepdim: false }));
    },
  }),
];

function running(self: TensorMeta, dim: number, dtype: DType | null): TensorMeta {
  wrapDim(dim, self.shape.length);
  return { dtype: dtype ?? (isIntegral(self.dtype) ? "int64" : self.dtype), shape: self.shape };
}

/** Does the same after a conversion, for backends whose scans do not convert complex numbers. */
function converted(
  b: Builder,
  op: "aten::cumprod" | "aten::cumsum",
  self: TensorMeta,
  dim: number,
  dtype: DType | null,
): TensorMeta | null {
  const result = dtype ?? (isBareUnsigned(self.dtype) ? "int64" : self.dtype);
  if (result === self.dtype) return null;
  // Without the dtype, small integers would be added in int64.
  return b.tensor(op, { self: emit(b).cast(self, result), dim, dtype: result });
}

function extremes(self: TensorMeta, dim: number): readonly [TensorMeta, TensorMeta] {
  wrapDim(dim, self.shape.length);
  return [
    { dtype: self.dtype, shape: self.shape },
    { dtype: "int64", shape: self.shape },
  ];
}

/**
 * Makes a tensor whose row i (in the last two dimensions) holds all elements up to i, then `fill`, or the first
 * element.
 */
function histories(
  e: Emit,
  self: TensorMeta,
  dim: number,
  fill: Scalar | null,
): {
  readonly history: TensorMeta;
  /** Whether an element of `history` belongs to the row. */
  readonly past: TensorMeta;
  readonly steps: TensorMeta;
  readonly restore: (x: TensorMeta) => TensorMeta;
} {
  const at = wrapDim(dim, self.shape.length);
  const last = self.shape.length - 1;
  const row = e.unsqueeze(e.transpose(self, at, last), -2);
  const steps = e.arange(self.shape[at]!, "int64");
  const past = e.le(steps, e.unsqueeze(steps, 1));
  const history = e.where(past, row, fill ?? e.slice(row, -1, 0, 1));
  return { history, past, steps, restore: (x) => e.transpose(x, at, last) };
}

/** Among equal elements, and among NaNs, the last one is reported, as in PyTorch. */
function runningExtreme(
  b: Builder,
  self: TensorMeta,
  dim: number,
  op: "aten::amax" | "aten::amin",
): readonly [TensorMeta, TensorMeta] {
  const e = emit(b);
  if (self.shape.length === 0 || self.shape.includes(0)) {
    return [b.tensor("aten::clone", { self }), e.full(self.shape, 0, "int64")];
  }
  const { history, past, steps, restore } = histories(e, self, dim, null);
  const values = b.tensor(op, { self: history, dim: [-1], keepdim: true });
  const equal = e.where(e.eq(history, values), steps, 0);
  const found = isFloat(self.dtype) ? e.where(e.ne(history, history), steps, equal) : equal;
  return [restore(e.squeeze(values, -1)), restore(e.amax(e.where(past, found, 0), [-1]))];
}
