import type { Builder } from "../../builder.ts";
import { computeDtype, partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { type DimList, numel, reducedDims, reducedShape } from "../support/dims.ts";
import { isComplex, isIntegral, toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** The arguments that every overload resolves to. */
interface Spread {
  readonly self: TensorMeta;
  readonly dim: DimList;
  readonly correction: Scalar;
  readonly keepdim: boolean;
}

/** Defines variance and standard deviation, alone and together with the mean. */
export const VARIANCE_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    {
      infer: ({ self, dim, keepdim }) => {
        check(!isIntegral(self.dtype), "var only supports floating point and complex dtypes");
        return {
          dtype: partOf(self.dtype),
          shape: reducedShape(self.shape, reducedDims(dim, self.shape.length), keepdim),
        };
      },
      decompose: ({ self, dim, correction, keepdim }, b) =>
        meanSquare(b, { self, dim, keepdim, correction: correction ?? 1 }),
    },
  ),
  defineOp("aten::var(Tensor self, bool unbiased=True) -> Tensor", {
    decompose: ({ self, unbiased }, b) => variance(b, whole(self, unbiased)),
  }),
  defineOp("aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", {
    decompose: (args, b) => variance(b, along(args)),
  }),
  defineOp("aten::std(Tensor self, bool unbiased=True) -> Tensor", {
    decompose: ({ self, unbiased }, b) => deviation(b, whole(self, unbiased)),
  }),
  defineOp("aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", {
    decompose: (args, b) => deviation(b, along(args)),
  }),
  defineOp(
    "aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor",
    { decompose: (args, b) => rootOfVariance(b, corrected(args)) },
  ),
  defineOp("aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", {
    decompose: ({ self, unbiased }, b) => withMean(b, variance, whole(self, unbiased)),
  }),
  defineOp("aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", {
    decompose: (args, b) => withMean(b, variance, along(args)),
  }),
  defineOp(
    "aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    { decompose: (args, b) => withMean(b, variance, corrected(args)) },
  ),
  defineOp("aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", {
    decompose: ({ self, unbiased }, b) => withMean(b, deviation, whole(self, unbiased)),
  }),
  defineOp("aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", {
    decompose: (args, b) => withMean(b, deviation, along(args)),
  }),
  defineOp(
    "aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)",
    { decompose: (args, b) => withMean(b, deviation, corrected(args)) },
  ),
];

function whole(self: TensorMeta, unbiased: boolean): Spread {
  return { self, dim: null, correction: unbiased ? 1 : 0, keepdim: false };
}

function along(args: {
  readonly self: TensorMeta;
  readonly dim: DimList;
  readonly unbiased: boolean;
  readonly keepdim: boolean;
}): Spread {
  return { ...args, correction: args.unbiased ? 1 : 0 };
}

function corrected(args: {
  readonly self: TensorMeta;
  readonly dim: DimList;
  readonly correction: Scalar | null;
  readonly keepdim: boolean;
}): Spread {
  return { ...args, correction: args.correction ?? 1 };
}

function variance(b: Builder, { self, dim, correction, keepdim }: Spread): TensorMeta {
  return b.tensor("aten::var.correction", { self, dim: dim ?? null, correction, keepdim });
}

/** The variance of half precision stays in float32 up to its root: it overflows float16 long before that does. */
function rootOfVariance(b: Builder, spread: Spread): TensorMeta {
  const { cast, sqrt } = emit(b);
  const { dtype } = spread.self;
  return cast(sqrt(variance(b, { ...spread, self: cast(spread.self, computeDtype(dtype)) })), partOf(dtype));
}

/** All overloads are this one, which has a gradient of its own: that of the root is infinite where it is 0. */
function deviation(b: Builder, { self, dim, correction, keepdim }: Spread): TensorMeta {
  return b.tensor("aten::std.correction", { self, dim: dim ?? null, correction, keepdim });
}

function withMean(b: Builder, statistic: typeof variance, spread: Spread): readonly [TensorMeta, TensorMeta] {
  return [statistic(b, spread), isComplex(spread.self.dtype) ? meanOfParts(b, spread) : runningMean(b, spread)];
}

/** The mean as PyTorch computes it beside a variance: an infinity makes it NaN when it meets the next element. */
function runningMean(b: Builder, { self, dim, keepdim }: Spread): TensorMeta {
  const e = emit(b);
  const mean = b.tensor("aten::mean.dim", { self, dim: dim ?? null, keepdim });
  const dims = reducedDims(dim, self.shape.length);
  if (numel(dims.map((d) => self.shape[d]!)) <= 1) return mean;
  const isInfinite = (x: TensorMeta): TensorMeta => e.cast(b.tensor("aten::isinf", { self: x }), "float32");
  const last = dims.reduceRight((x, d) => {
    const at = self.shape[d]! - 1;
    return keepdim ? e.slice(x, d, at, at + 1) : e.select(x, d, at);
  }, self);
  const before = e.gt(e.sum(isInfinite(self), dims, keepdim), isInfinite(last));
  return e.where(before, { float: Number.NaN }, mean);
}

function meanOfParts(b: Builder, { self, dim, correction, keepdim }: Spread): TensorMeta {
  const dims = reducedDims(dim, self.shape.length);
  const parts = b.tensor("aten::view_as_real", { self });
  const mean = dims.length === 0 ? parts : runningMean(b, { self: parts, dim: dims, correction, keepdim });
  return b.tensor("aten::view_as_complex", { self: mean });
}

/** Computes `sum((x - mean)²) / (n - correction)`, in float32 for half precision. */
function meanSquare(b: Builder, { self, dim, correction, keepdim }: Spread): TensorMeta {
  const e = emit(b);
  const dims = reducedDims(dim, self.shape.length);
  const count = numel(dims.map((d) => self.shape[d]!));
  const isPair = isComplex(self.dtype);
  const x = e.cast(isPair ? b.tensor("aten::view_as_real", { self }) : self, computeDtype(partOf(self.dtype)));
  const centered = dims.length === 0 ? e.sub(x, x) : e.sub(x, e.mean(x, dims, true));
  const each = e.mul(centered, centered);
  const squares = isPair ? e.sum(each, [self.shape.length]) : each;
  const total = dims.length === 0 ? squares : e.sum(squares, dims, keepdim);
  // Of no number it is NaN, whatever the correction is.
  const divisor = count === 0 ? 0 : Math.max(0, count - toNumber(correction));
  return e.cast(e.div(total, { float: divisor }), partOf(self.dtype));
}
