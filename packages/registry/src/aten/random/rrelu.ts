import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { sameShape } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";

/** Defines the randomized leaky ReLU. */
export const RRELU_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor",
    {
      impure: true,
      decompose: ({ self, lower, upper, training }, b) =>
        training
          ? b.call("aten::rrelu_with_noise_functional", { self, noise: self, lower, upper, training })[0]
          : fixedSlope(b, self, lower, upper),
    },
  ),
  defineOp(
    "aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)",
    {
      impure: true,
      infer: ({ self: { dtype, shape } }) => [
        { dtype, shape },
        { dtype, shape },
      ],
      // In training each element up to 0 is multiplied by its own random slope, which a backend draws.
      decompose: ({ self, noise, lower, upper, training }, b) => {
        check(
          sameShape(self.shape, noise.shape),
          () =>
            `noise tensor shape must match self tensor shape. Got self.shape = ${show(self.shape)} noise.shape = ${show(noise.shape)}`,
        );
        return training ? null : [fixedSlope(b, self, lower, upper), noise];
      },
    },
  ),
];

/** Defines its gradient, which draws nothing. */
export const RRELU_BACKWARD_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rrelu_with_noise_backward(Tensor grad_output, Tensor self, Tensor noise, Scalar lower, Scalar upper, bool training, bool self_is_result) -> Tensor",
    {
      decompose: ({ grad_output, self, noise, lower, upper, training, self_is_result }, b) => {
        const [low, high] = [toNumber(lower), toNumber(upper)];
        if (training && high - low > 1e-6) return b.tensor("aten::mul.Tensor", { self: grad_output, other: noise });
        const negative_slope = { float: (low + high) / 2 };
        return b.tensor("aten::leaky_relu_backward", { grad_output, self, negative_slope, self_is_result });
      },
    },
  ),
];

/** Outside training the slope of `rrelu` is the middle of its range. */
function fixedSlope(b: Builder, self: TensorMeta, lower: Scalar, upper: Scalar): TensorMeta {
  const slope = (toNumber(lower) + toNumber(upper)) / 2;
  return b.tensor("aten::leaky_relu", { self, negative_slope: { float: slope } });
}
