import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines covariances and Vandermonde matrices. */
export const MOMENT_OPS: readonly OpRecord[] = [
  defineOp("aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor", {
    decompose: ({ self, correction, fweights, aweights }, b) => {
      check(
        self.shape.length <= 2,
        () => `cov(): expected input to have two or fewer dimensions, got ${show(self.shape)}`,
      );
      if (fweights !== null || aweights !== null) return null;
      const e = emit(b);
      const x = isIntegral(self.dtype) ? e.cast(self, "float32") : self;
      const rows = self.shape.length === 2 ? x : e.reshape(x, [1, self.shape[0] ?? 1]);
      const count = rows.shape[1]!;
      const centered = e.sub(rows, e.mean(rows, [1], true));
      const products = b.tensor("aten::mm", { self: centered, mat2: e.transpose(centered, 0, 1) });
      const result = e.div(products, { float: Math.max(0, count - correction) });
      return rows.shape[0] === 1 ? e.reshape(result, []) : result;
    },
  }),
  defineOp("aten::corrcoef(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => {
      const e = emit(b);
      const covariance = b.tensor("aten::cov", { self });
      if (covariance.shape.length === 0) return e.div(covariance, covariance);
      const deviation = e.sqrt(b.tensor("aten::diagonal", { self: covariance }));
      const scaled = e.div(e.div(covariance, e.unsqueeze(deviation, 1)), e.unsqueeze(deviation, 0));
      return b.tensor("aten::clamp", { self: scaled, min: -1, max: 1 });
    },
  }),
  defineOp("aten::vander(Tensor x, int? N=None, bool increasing=False) -> Tensor", {
    decompose: ({ x, N, increasing }, b) => {
      check(x.shape.length === 1, () => `x must be a one-dimensional tensor, got ${show(x.shape)}`);
      const columns = powersOf(x, N ?? x.shape[0]!, b);
      return increasing ? columns : b.tensor("aten::flip", { self: columns, dims: [1] });
    },
  }),
  defineOp("aten::_int_mm(Tensor self, Tensor mat2) -> Tensor", {
    requires: { kinds: { self: "byte", mat2: "int8" } },
    decompose: ({ self, mat2 }, b) => {
      const e = emit(b);
      return b.tensor("aten::mm", { self: e.cast(self, "int32"), mat2: e.cast(mat2, "int32") });
    },
  }),
];

/** A column for each power of the elements of a list, from 0 on: products one after the other, as in PyTorch. */
function powersOf(x: TensorMeta, count: number, b: Builder): TensorMeta {
  const e = emit(b);
  if (isComplex(x.dtype)) {
    return b.tensor("aten::pow.Tensor_Tensor", { self: e.unsqueeze(x, 1), exponent: e.arange(count, "int64") });
  }
  const dtype = isIntegral(x.dtype) ? "int64" : x.dtype;
  const size = x.shape[0]!;
  const ones = e.full([size, Math.min(count, 1)], 1, dtype);
  if (count < 2) return ones;
  const repeated = e.expand(e.unsqueeze(e.cast(x, dtype), 1), [size, count - 1]);
  return e.cat([ones, b.tensor("aten::cumprod", { self: repeated, dim: 1 })], 1);
}
