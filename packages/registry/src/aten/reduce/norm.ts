import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { range, reducedDims, reducedShape, wrapDim } from "../support/dims.ts";
import { checkFloating, isComplex, isFloat, isIntegral, toNumber } from "../support/dtypes.ts";
import { type Emit, emit } from "../support/emit.ts";

/** Defines vector and matrix norms. */
export const NORM_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    {
      infer: ({ self, dim, keepdim, dtype }) => ({
        dtype: resultType(self, dtype),
        shape: reducedShape(self.shape, reducedDims(dim, self.shape.length), keepdim),
      }),
      decompose: ({ self, ord, dim, keepdim, dtype }, b) => {
        const result = resultType(self, dtype);
        const e = emit(b);
        const given = e.cast(self, dtype ?? self.dtype);
        const x = e.wide(given);
        const dims = reducedDims(dim, self.shape.length);
        const magnitude = isFloat(x.dtype) && toNumber(ord) === 2 ? x : e.abs(x);
        return e.cast(vectorNorm(e, magnitude, toNumber(ord), dims, keepdim), result);
      },
    },
  ),
  defineOp("aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", {
    decompose: ({ self, p }, b) => vector(b, self, p, null, false, null),
  }),
  defineOp("aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, p, dim, keepdim }, b) => vector(b, self, p, dim, keepdim, null),
  }),
  defineOp("aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", {
    decompose: ({ self, p, dtype }, b) => vector(b, self, p, null, false, dtype),
  }),
  defineOp(
    "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
    {
      decompose: ({ self, p, dim, keepdim, dtype }, b) => vector(b, self, p, dim, keepdim, dtype),
    },
  ),
  defineOp("aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", {
    decompose: ({ self, dim, keepdim }, b) => vector(b, self, 2, dim, keepdim, null),
  }),
  defineOp(
    "aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    {
      decompose: ({ self, ord, dim, keepdim, dtype }, b) => {
        const rank = dim === null ? self.shape.length : dim.length;
        check(
          rank > 0 || ord === null || self.shape.length <= 2,
          "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D",
        );
        if (ord === null || rank !== 2) return vector(b, self, ord, dim, keepdim, dtype);
        return b.tensor("aten::linalg_matrix_norm", { self, ord, dim: dim ?? range(2), keepdim, dtype });
      },
    },
  ),
  defineOp(
    "aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    {
      decompose: ({ self, ord, dim, keepdim, dtype }, b) => {
        check(
          dim !== null || self.shape.length <= 2,
          () =>
            `linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. Got ${self.shape.length}D.`,
        );
        return b.tensor("aten::linalg_matrix_norm.str_ord", { self, ord, dim: dim ?? range(2), keepdim, dtype });
      },
    },
  ),
  defineOp(
    "aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    {
      decompose: ({ self, ord, dim, keepdim, dtype }, b) =>
        matrixNorm(b, matrixIn(b, self, dtype), toNumber(ord), dim, keepdim),
    },
  ),
  defineOp(
    'aten::linalg_matrix_norm.str_ord(Tensor self, str ord="fro", int[] dim=[-2, -1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor',
    {
      decompose: ({ self, ord, dim, keepdim, dtype }, b) => {
        if (ord === "fro") return vector(b, self, 2, dim, keepdim, dtype);
        check(ord === "nuc", () => `linalg.matrix_norm: Order ${ord} not supported.`);
        return singularValues(b, matrixIn(b, self, dtype), dim, keepdim, (e, s) => e.sum(s, [-1], keepdim));
      },
    },
  ),
];

function resultType(self: TensorMeta, dtype: DType | null): DType {
  check(
    !isIntegral(self.dtype),
    () => `linalg.vector_norm: Expected a floating point or complex tensor as input. Got ${self.dtype}`,
  );
  check(
    dtype === null || !isIntegral(dtype),
    () => `linalg.vector_norm: dtype should be floating point or complex, but got ${dtype}`,
  );
  checkReal("linalg.vector_norm", self, dtype);
  return partOf(dtype ?? self.dtype);
}

/** Refuses a complex dtype for the norm of a real tensor. */
function checkReal(op: string, self: TensorMeta, dtype: DType | null): void {
  check(
    dtype === null || isComplex(self.dtype) || !isComplex(dtype),
    () => `${op}: dtype should be real for real inputs, but got ${dtype}`,
  );
}

/** Converts a matrix to the requested dtype. */
function matrixIn(b: Builder, self: TensorMeta, dtype: DType | null): TensorMeta {
  checkFloating("linalg.matrix_norm", self);
  if (dtype === null) return self;
  checkFloating("linalg.matrix_norm", { ...self, dtype });
  checkReal("linalg.matrix_norm", self, dtype);
  return emit(b).cast(self, dtype);
}

function vector(
  b: Builder,
  self: TensorMeta,
  p: Scalar | null,
  dim: readonly number[] | null,
  keepdim: boolean,
  dtype: DType | null,
): TensorMeta {
  return b.tensor("aten::linalg_vector_norm", { self, ord: p ?? 2, dim, keepdim, dtype });
}

/** Computes the norm from magnitudes, except that order 2 does not need them. */
function vectorNorm(e: Emit, x: TensorMeta, ord: number, dims: readonly number[], keepdim: boolean): TensorMeta {
  if (dims.length === 0) return ord === 0 ? e.cast(e.ne(x, 0), x.dtype) : e.abs(x);
  if (ord === Number.POSITIVE_INFINITY) return e.amax(x, dims, keepdim);
  if (ord === Number.NEGATIVE_INFINITY) return e.neg(e.amax(e.neg(x), dims, keepdim));
  if (ord === 0) return e.sum(e.cast(e.ne(x, 0), x.dtype), dims, keepdim);
  if (ord === 1) return e.sum(x, dims, keepdim);
  if (ord === 2) return e.sqrt(e.sum(e.mul(x, x), dims, keepdim));
  return e.pow(e.sum(e.pow(x, { float: ord }), dims, keepdim), { float: 1 / ord });
}

/** Computes a matrix norm: orders ±1 and ±inf are extremes of column and row sums, ±2 of the singular values. */
function matrixNorm(b: Builder, self: TensorMeta, ord: number, dim: readonly number[], keepdim: boolean): TensorMeta {
  const e = emit(b);
  const [row, column] = dim.map((d) => wrapDim(d, self.shape.length)) as [number, number];
  check(dim.length === 2 && row !== column, "linalg.matrix_norm: dim must be a 2-tuple of distinct dimensions");
  const extreme = (x: TensorMeta, d: number, keep: boolean): TensorMeta =>
    b.tensor(ord > 0 ? "aten::amax" : "aten::amin", { self: x, dim: [d], keepdim: keep });
  // The norm of an empty matrix is 0.
  const largest = (s: TensorMeta): TensorMeta =>
    s.shape.at(-1) === 0 ? e.full(s.shape.slice(0, -1), 0, s.dtype) : extreme(s, -1, keepdim);
  if (Math.abs(ord) === 2) return singularValues(b, self, dim, keepdim, (_, s) => largest(s));
  check(
    Math.abs(ord) === 1 || Math.abs(ord) === Number.POSITIVE_INFINITY,
    () => `linalg.matrix_norm: Order ${ord} not supported.`,
  );
  const [summed, kept] = Math.abs(ord) === 1 ? [row, column] : [column, row];
  const sums = e.sum(e.abs(self), [summed], true);
  const none = e.full(
    sums.shape.map((n, d) => (d === kept ? 1 : n)),
    0,
    sums.dtype,
  );
  const result = self.shape[kept] === 0 ? none : extreme(sums, kept, true);
  return keepdim ? result : e.reshape(result, reducedShape(self.shape, reducedDims(dim, self.shape.length), false));
}

function singularValues(
  b: Builder,
  self: TensorMeta,
  dim: readonly number[],
  keepdim: boolean,
  fold: (e: Emit, s: TensorMeta) => TensorMeta,
): TensorMeta {
  const e = emit(b);
  const dims = dim.map((d) => wrapDim(d, self.shape.length));
  const rest = range(self.shape.length).filter((d) => !dims.includes(d));
  const values = b.tensor("aten::linalg_svdvals", { A: e.permute(self, [...rest, ...dims]) });
  return e.reshape(fold(e, values), reducedShape(self.shape, reducedDims(dims, self.shape.length), keepdim));
}
