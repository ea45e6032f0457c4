import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { partsOf } from "../support/complex-parts.ts";
import { wrapDim } from "../support/dims.ts";
import { isComplex, isFloat } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** The largest finite value of each dtype that `nan_to_num` supports. */
const LARGEST: { readonly [dtype: string]: number } = {
  float16: 65504,
  bfloat16: 3.3895313892515355e38,
  float32: 3.4028234663852886e38,
  float64: Number.MAX_VALUE,
};

/** Defines activations that depend on other elements, or on the dtype. */
export const ACTIVATION_COMPOSITE_OPS: readonly OpRecord[] = [
  defineOp("aten::glu(Tensor self, int dim=-1) -> Tensor", {
    decompose({ self, dim }, b) {
      const { mul, sigmoid, slice } = emit(b);
      const d = wrapDim(dim, self.shape.length);
      const size = self.shape[d] ?? 0;
      check(
        self.shape.length > 0 && size % 2 === 0,
        `Halving dimension must be even, but dimension ${d} is size ${size}`,
      );
      return mul(slice(self, d, 0, size / 2), sigmoid(slice(self, d, size / 2, size)));
    },
  }),
  defineOp("aten::prelu(Tensor self, Tensor weight) -> Tensor", {
    requires: { ranks: { weight: [0, 1] } },
    decompose({ self, weight }, b) {
      const { reshape } = emit(b);
      const rank = self.shape.length;
      const count = weight.shape[0] ?? 1;
      const channels = rank > 1 ? self.shape[1] : 1;
      check(
        count === 1 || count === channels,
        `Mismatch of parameter numbers and input channel size. Found parameter numbers = ${count} and channel size = ${channels}.`,
      );
      const shape = self.shape.map((_, d) => (d === 1 ? count : 1));
      return b.tensor("aten::_prelu_kernel", {
        self,
        weight: reshape(weight, rank < 2 ? self.shape.map(() => 1) : shape),
      });
    },
  }),
  defineOp("aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", {
    decompose({ self }, b) {
      const { abs, exp, neg } = emit(b);
      return [b.tensor("aten::log_sigmoid", { self }), exp(neg(abs(self)))];
    },
  }),
  defineOp("aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", {
    decompose({ self, nan, posinf, neginf }, b) {
      if (isComplex(self.dtype)) {
        const { re, im } = partsOf(self, b);
        const [real, imag] = [re, im].map((part) =>
          b.tensor("aten::nan_to_num", { self: part as TensorMeta, nan, posinf, neginf }),
        );
        return b.tensor("aten::complex", { real: real!, imag: imag! });
      }
      if (!isFloat(self.dtype)) return self;
      const { eq, where } = emit(b);
      const limit = LARGEST[self.dtype] ?? Number.MAX_VALUE;
      const replace = (x: TensorMeta, at: number, by: number): TensorMeta =>
        where(eq(x, { float: at }), { float: by }, x);
      const finite = replace(self, Number.POSITIVE_INFINITY, posinf ?? limit);
      const bounded = replace(finite, Number.NEGATIVE_INFINITY, neginf ?? -limit);
      return where(b.tensor("aten::isnan", { self }), { float: nan ?? 0 }, bounded);
    },
  }),
];
