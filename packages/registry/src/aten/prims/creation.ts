import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { toNumber } from "../support/dtypes.ts";

/** Defines what makes tensors, random ones too, and transforms of whole tensors. */
export const CREATION_PRIMS: readonly OpRecord[] = [
  defineOp(
    "prims::iota(SymInt length, *, SymInt start, SymInt step, ScalarType dtype, Device device, bool requires_grad) -> Tensor",
    {
      decompose({ length, start, step, dtype }, b) {
        check(length >= 0, () => `length must be non-negative, got ${length}`);
        check(step !== 0, "step must be nonzero");
        return b.tensor("aten::arange.start_step", { start, end: start + length * step, step, dtype });
      },
    },
  ),
  defineOp(
    "prims::full(SymInt[] shape, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor",
    { decompose: ({ shape, fill_value, dtype }, b) => full(shape, fill_value, dtype, b) },
  ),
  defineOp(
    "prims::full_like(Tensor a, Scalar fill_value, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor",
    { decompose: ({ a, fill_value, dtype }, b) => full(a.shape, fill_value, dtype, b) },
  ),
  defineOp("prims::scalar_tensor(Scalar s, *, ScalarType? dtype=None, Device? device=None) -> Tensor", {
    decompose: ({ s, dtype }, b) => b.tensor("aten::scalar_tensor", { s, dtype }),
  }),
  ...[
    "empty(SymInt[] shape",
    "empty_permuted(SymInt[] shape, int[] physical_layout",
    "empty_strided(SymInt[] shape, SymInt[] strides",
  ].map((start) =>
    defineOp(`prims::${start}, *, ScalarType dtype, Device device, bool requires_grad) -> Tensor`, {
      decompose({ shape, dtype }: Readonly<Record<string, unknown>>, b: Builder) {
        return b.tensor("aten::empty.memory_format", { size: shape as readonly number[], dtype: dtype as DType });
      },
    }),
  ),
  defineOp(
    "prims::normal(SymInt[] shape, *, Scalar mean, Scalar std, ScalarType dtype, Device device, bool requires_grad, Generator? generator=None) -> Tensor",
    {
      decompose: ({ shape, mean, std, dtype }, b) =>
        b.tensor("aten::normal_functional", {
          self: full(shape, 0, dtype, b),
          mean: toNumber(mean),
          std: toNumber(std),
        }),
    },
  ),
  defineOp(
    "prims::uniform(SymInt[] shape, *, Scalar low, Scalar high, ScalarType dtype, Device device, SymInt[] stride, Generator? generator=None) -> Tensor",
    {
      decompose: ({ shape, low, high, dtype }, b) =>
        b.tensor("aten::uniform", { self: full(shape, 0, dtype, b), from: toNumber(low), to: toNumber(high) }),
    },
  ),
  defineOp("prims::svd(Tensor A, *, bool full_matrices) -> (Tensor U, Tensor S, Tensor Vh)", {
    decompose: (args, b) => b.call("aten::linalg_svd", args),
  }),
  defineOp("prims::fft_c2c(Tensor self, *, int[] dim, bool forward) -> Tensor", {
    decompose: ({ self, dim, forward }, b) => b.tensor("aten::_fft_c2c", { self, dim, normalization: 0, forward }),
  }),
  defineOp("prims::fft_r2c(Tensor self, *, int[] dim, bool onesided) -> Tensor", {
    decompose: ({ self, dim, onesided }, b) => b.tensor("aten::_fft_r2c", { self, dim, normalization: 0, onesided }),
  }),
  defineOp("prims::fft_c2r(Tensor self, *, int[] dim, SymInt last_dim_size) -> Tensor", {
    decompose: ({ self, dim, last_dim_size }, b) =>
      b.tensor("aten::_fft_c2r", { self, dim, normalization: 0, last_dim_size }),
  }),
];

function full(size: readonly number[], fill_value: Scalar, dtype: DType, b: Builder): TensorMeta {
  return b.tensor("aten::full", { size, fill_value, dtype });
}
