import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { numel, wrapDim } from "../support/dims.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { accumulated, isRoundedFirst, reduced } from "./sum.ts";

/** Defines `prod`, sums without NaN, and ops that decompose into sums. */
export const PROD_OPS: readonly OpRecord[] = [
  defineOp("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dtype }, b) => {
      const flat = emit(b).reshape(self, [numel(self.shape)]);
      return b.tensor("aten::prod.dim_int", { self: flat, dim: 0, dtype });
    },
  }),
  defineOp("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, keepdim, dtype }) => ({ dtype: accumulated(self, dtype), shape: reduced(self, dim, keepdim) }),
    decompose({ self, dim, keepdim, dtype }, b) {
      const result = accumulated(self, dtype);
      if (isComplex(result)) return complexProduct(b, emit(b).cast(self, result), dim, keepdim);
      if (!isRoundedFirst(self, result)) return null;
      return b.tensor("aten::prod.dim_int", { self: emit(b).cast(self, result), dim, keepdim, dtype: result });
    },
  }),
  defineOp("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    requires: { kinds: { self: "real" } },
    decompose: ({ self, dim, keepdim, dtype }, b) => {
      const clean = isIntegral(self.dtype) ? self : emit(b).where(b.tensor("aten::isnan", { self }), 0, self);
      return b.tensor("aten::sum.dim_IntList", { self: clean, dim, keepdim, dtype });
    },
  }),
  defineOp("aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dim, keepdim, dtype }, b) => {
      check(
        !isIntegral(self.dtype),
        () => `nanmean(): expected input to have floating point or complex dtype but got ${self.dtype}`,
      );
      const e = emit(b);
      const numbers = b.tensor("aten::logical_not", { self: b.tensor("aten::isnan", { self }) });
      const count = b.tensor("aten::sum.dim_IntList", { self: numbers, dim, keepdim });
      return e.div(b.tensor("aten::nansum", { self, dim, keepdim, dtype }), count);
    },
  }),
  defineOp("aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", {
    decompose: ({ self, dim }, b) => emit(b).sum(emit(b).ne(self, 0), dim === null ? [] : [dim]),
  }),
  defineOp("aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", {
    decompose: ({ self, dim }, b) => emit(b).sum(emit(b).ne(self, 0), dim),
  }),
  defineOp("aten::trace(Tensor self) -> Tensor", {
    decompose: ({ self }, b) => {
      check(self.shape.length === 2, () => `trace: expected a matrix, but got tensor with dim ${self.shape.length}`);
      return emit(b).sum(b.tensor("aten::diagonal", { self }), [0]);
    },
  }),
];

/** Multiplies the first half by the second one until one number is left. */
function complexProduct(b: Builder, self: TensorMeta, dim: number, keepdim: boolean): TensorMeta {
  const e = emit(b);
  const at = wrapDim(dim, self.shape.length);
  if (self.shape.length === 0) return b.tensor("aten::clone", { self });
  if (self.shape[at] === 0) return e.full(reduced(self, dim, keepdim), 1, self.dtype);
  let rest = self;
  for (let n = self.shape[at]!; n > 1; n = Math.ceil(n / 2)) {
    const half = Math.floor(n / 2);
    const product = e.mul(e.slice(rest, at, 0, half), e.slice(rest, at, half, 2 * half));
    rest = n % 2 === 0 ? product : e.cat([product, e.slice(rest, at, n - 1, n)], at);
  }
  return keepdim ? rest : e.squeeze(rest, at);
}
