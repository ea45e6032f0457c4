import { defineOp, type OpRecord } from "../../op.ts";
import { check } from "../support/check.ts";
import { numel } from "../support/dims.ts";
import { isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { accumulated, reduced } from "./sum.ts";

/** `prod`, sums without NaN, and what is counted or traced with sums. */
export const PROD_OPS: readonly OpRecord[] = [
  defineOp("aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", {
    decompose: ({ self, dtype }, b) => {
      const flat = emit(b).reshape(self, [numel(self.shape)]);
      return b.tensor("aten::prod.dim_int", { self: flat, dim: 0, dtype });
    },
  }),
  defineOp("aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
    infer: ({ self, dim, keepdim, dtype }) => ({ dtype: accumulated(self, dtype), shape: reduced(self, dim, keepdim) }),
  }),
  defineOp("aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", {
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
