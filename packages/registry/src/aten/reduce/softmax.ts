import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, reducedDims, reducedShape, wrapDim } from "../support/dims.ts";
import { checkFloating, isComplex, isIntegral } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines `softmax`, its logarithm, and `logsumexp`. */
export const SOFTMAX_OPS: readonly OpRecord[] = [
  defineOp("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", {
    infer: ({ self, dim, half_to_float }) => normalized("softmax", self, dim, half_to_float),
    decompose: ({ self, dim, half_to_float }, b) => {
      const result = normalized("softmax", self, dim, half_to_float).dtype;
      const e = emit(b);
      if (numel(self.shape) === 0) return e.cast(self, result);
      const exponentials = e.exp(shifted(e, self, dim));
      return e.cast(e.div(exponentials, e.sum(exponentials, [dim], true)), result);
    },
  }),
  defineOp("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", {
    infer: ({ self, dim, half_to_float }) => normalized("log_softmax", self, dim, half_to_float),
    decompose: ({ self, dim, half_to_float }, b) => {
      const result = normalized("log_softmax", self, dim, half_to_float).dtype;
      const e = emit(b);
      if (numel(self.shape) === 0) return e.cast(self, result);
      const centered = shifted(e, self, dim);
      return e.cast(e.sub(centered, e.log(e.sum(e.exp(centered), [dim], true))), result);
    },
  }),
  defineOp("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", {
    decompose: (args, b) => converted(b, "_softmax", args),
  }),
  defineOp("aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", {
    decompose: (args, b) => converted(b, "_softmax", args),
  }),
  defineOp("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", {
    decompose: (args, b) => converted(b, "_log_softmax", args),
  }),
  defineOp("aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", {
    decompose: (args, b) => converted(b, "_log_softmax", args),
  }),
  defineOp("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dim, dtype }, b) => {
      const e = emit(b);
      const result = converted(b, "_softmax", { self, dim, dtype });
      if (numel(self.shape) === 0) return result;
      const masked = e.eq(self, { float: Number.NEGATIVE_INFINITY });
      const empty = b.tensor("aten::all.dim", { self: masked, dim, keepdim: true });
      return e.where(empty, 0, result);
    },
  }),
  defineOp("aten::_masked_softmax(Tensor self, Tensor mask, int? dim=None, int? mask_type=None) -> Tensor", {
    decompose: ({ self, mask, dim, mask_type }, b) => {
      const e = emit(b);
      const [batch, heads, rows, columns] = self.shape as readonly [number, number, number, number];
      check(mask.dtype === "bool", "Mask should be a boolean tensor");
      // 0: rows × columns for all; 1: padding, batch × columns; 2: the shape of the scores.
      const shapes = [
        [1, 1, rows, columns],
        [batch, 1, 1, columns],
      ];
      const fit = mask_type === null ? mask : e.reshape(mask, shapes[mask_type] ?? [batch, heads, rows, columns]);
      const scores = e.where(fit, { float: Number.NEGATIVE_INFINITY }, self);
      return b.tensor("aten::softmax.int", { self: scores, dim: dim ?? -1 });
    },
  }),
  defineOp("aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, dim, keepdim }, b) => b.tensor("aten::logsumexp", { self, dim, keepdim }),
  }),
  defineOp("aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, dim, keepdim }, b) => {
      const e = emit(b);
      const x = isIntegral(self.dtype) ? e.cast(self, "float32") : self;
      // PyTorch fails here: it allocates the result as if the dimensions were not reduced.
      check(dim.length > 0 || keepdim || x.shape.length === 0, "logsumexp: expected a dim to reduce");
      const dims = reducedDims(dim, x.shape.length);
      if (numel(x.shape) === 0) return e.log(e.sum(e.exp(x), dims, keepdim));
      const real = isComplex(x.dtype) ? b.tensor("aten::real", { self: x }) : x;
      const largest = b.tensor("aten::amax", { self: real, dim: dims, keepdim: true });
      // An infinite maximum would give inf - inf.
      const finite = e.lt(e.abs(largest), { float: Number.POSITIVE_INFINITY });
      const shift = e.where(finite, largest, 0);
      const total = e.log(e.sum(e.exp(e.sub(x, shift)), dims, true));
      const result = e.add(total, shift);
      return keepdim ? result : e.reshape(result, reducedShape(x.shape, dims, false));
    },
  }),
];

function normalized(op: string, self: TensorMeta, dim: number, halfToFloat: boolean): TensorMeta {
  wrapDim(dim, self.shape.length);
  // PyTorch asks nothing of the dtype where there is nothing to compute.
  if (numel(self.shape) > 0) checkFloating(op, self);
  check(
    !halfToFloat || self.dtype === "float16" || self.dtype === "bfloat16",
    "conversion is supported for Half and BFloat16 types only",
  );
  return { dtype: halfToFloat ? "float32" : self.dtype, shape: self.shape };
}

/** Returns `x - max(x)`, so that the exponentials are at most 1. */
function shifted(e: Emit, self: TensorMeta, dim: number): TensorMeta {
  const x = e.wide(self);
  return e.sub(x, e.amax(x, [dim], true));
}

function converted(
  b: Builder,
  op: "_softmax" | "_log_softmax",
  args: { readonly self: TensorMeta; readonly dim: number; readonly dtype: DType | null },
): TensorMeta {
  const self = args.dtype === null ? args.self : emit(b).cast(args.self, args.dtype);
  return b.tensor(`aten::${op}`, { self, dim: args.dim, half_to_float: false });
}
