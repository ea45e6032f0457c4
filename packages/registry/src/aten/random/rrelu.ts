import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { sameShape } from "../support/dims.ts";
import { toNumber } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines the randomized leaky ReLU. */
export const RRELU_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> Tensor",
    {
      impure: true,
      decompose: ({ self, lower, upper, training }, b) =>
        training ? drawnSlope(b, self, lower, upper)[0] : fixedSlope(b, self, lower, upper),
    },
  ),
  defineOp(
    "aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.33333333333333331, bool training=False, Generator? generator=None) -> (Tensor, Tensor noise_out)",
    {
      impure: true,
      decompose: ({ self, noise, lower, upper, training }, b) => {
        check(
          sameShape(self.shape, noise.shape),
          () =>
            `noise tensor shape must match self tensor shape. Got self.shape = ${show(self.shape)} noise.shape = ${show(noise.shape)}`,
        );
        return training ? drawnSlope(b, self, lower, upper) : [fixedSlope(b, self, lower, upper), noise];
      },
    },
  ),
];

/** In training each negative element is multiplied by its own random slope; the slopes are the second result. */
function drawnSlope(b: Builder, self: TensorMeta, lower: Scalar, upper: Scalar): readonly [TensorMeta, TensorMeta] {
  const { add, gt, mul, where } = emit(b);
  const draw = b.tensor("aten::rand", { size: self.shape, dtype: self.dtype });
  const [low, high] = [toNumber(lower), toNumber(upper)];
  const slope = add(mul(draw, { float: high - low }), { float: low });
  const noise = where(gt(self, 0), { float: 1 }, slope);
  return [mul(self, noise), noise];
}

/** Outside training the slope of `rrelu` is the middle of its range. */
function fixedSlope(b: Builder, self: TensorMeta, lower: Scalar, upper: Scalar): TensorMeta {
  const slope = (toNumber(lower) + toNumber(upper)) / 2;
  return b.tensor("aten::leaky_relu", { self, negative_slope: { float: slope } });
}
