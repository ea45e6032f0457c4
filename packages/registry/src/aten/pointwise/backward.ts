import { defineOp, type OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import { numberOf } from "./define.ts";

const inside = (x: ScalarExpr, low: number, high: number): ScalarExpr => s.and(s.gt(x, low), s.lt(x, high));

/** Defines the derivatives of activations, under autograd's names. */
export const BACKWARD_POINTWISE_OPS: readonly OpRecord[] = [
  defineOp("aten::threshold_backward(Tensor grad_output, Tensor self, Scalar threshold) -> Tensor", {
    scalar: (grad, x, threshold) => s.select(s.le(x, threshold), 0, grad),
  }),
  defineOp("aten::hardshrink_backward(Tensor grad_out, Tensor self, Scalar lambd) -> Tensor", {
    scalar: (grad, x, lambd) => s.select(s.or(s.gt(x, lambd), s.lt(x, s.neg(lambd))), grad, 0),
  }),
  defineOp("aten::softshrink_backward(Tensor grad_output, Tensor self, Scalar lambd) -> Tensor", {
    scalar: (grad, x, lambd) => s.select(s.or(s.gt(x, lambd), s.lt(x, s.neg(lambd))), grad, 0),
  }),
  defineOp("aten::sigmoid_backward(Tensor grad_output, Tensor output) -> Tensor", {
    scalar: (grad, y) => s.mul(grad, s.mul(s.sub(1, y), y)),
  }),
  defineOp("aten::tanh_backward(Tensor grad_output, Tensor output) -> Tensor", {
    scalar: (grad, y) => s.mul(grad, s.sub(1, s.mul(y, y))),
  }),
  defineOp("aten::silu_backward(Tensor grad_output, Tensor self) -> Tensor", {
    scalar: (grad, x) => s.mul(grad, s.mul(s.sigmoid(x), s.add(1, s.mul(x, s.sub(1, s.sigmoid(x)))))),
  }),
  defineOp("aten::mish_backward(Tensor grad_output, Tensor self) -> Tensor", {
    scalar(grad, x) {
      const curve = s.tanh(s.log1p(s.exp(x)));
      return s.mul(grad, s.add(curve, s.mul(s.mul(x, s.sigmoid(x)), s.sub(1, s.mul(curve, curve)))));
    },
  }),
  defineOp("aten::hardtanh_backward(Tensor grad_output, Tensor self, Scalar min_val, Scalar max_val) -> Tensor", {
    scalar: (grad, x, low, high) => s.select(inside(x, numberOf(low), numberOf(high)), grad, 0),
  }),
  defineOp("aten::hardsigmoid_backward(Tensor grad_output, Tensor self) -> Tensor", {
    scalar: (grad, x) => s.select(inside(x, -3, 3), s.div(grad, 6), 0),
  }),
  defineOp("aten::hardswish_backward(Tensor grad_output, Tensor self) -> Tensor", {
    scalar: (grad, x) => s.select(s.le(x, -3), 0, s.select(s.lt(x, 3), s.mul(grad, s.add(s.div(x, 3), 0.5)), grad)),
  }),
  defineOp(
    "aten::leaky_relu_backward(Tensor grad_output, Tensor self, Scalar negative_slope, bool self_is_result) -> Tensor",
    {
      scalar: (grad, x, slope) => s.select(s.gt(x, 0), grad, s.mul(grad, slope)),
    },
  ),
  defineOp(
    "aten::elu_backward(Tensor grad_output, Scalar alpha, Scalar scale, Scalar input_scale, bool is_result, Tensor self_or_result) -> Tensor",
    {
      scalar(grad, alpha, scale, input, isResult, x) {
        const [a, k, c] = [numberOf(alpha), numberOf(scale), numberOf(input)];
        const below = isResult ? s.mul(c, s.add(x, a * k)) : s.mul(a * k * c, s.exp(s.mul(x, c)));
        return s.select(s.le(x, 0), s.mul(grad, below), s.mul(grad, k));
      },
    },
  ),
  defineOp("aten::softplus_backward(Tensor grad_output, Tensor self, Scalar beta, Scalar threshold) -> Tensor", {
    scalar: (grad, x, beta, threshold) =>
      s.select(s.gt(s.mul(x, beta), threshold), grad, s.mul(grad, s.sigmoid(s.mul(x, beta)))),
  }),
  defineOp('aten::gelu_backward(Tensor grad_output, Tensor self, *, str approximate="none") -> Tensor', {
    scalar: (grad, x, approximate) => s.mul(grad, approximate === "none" ? geluSlope(x) : tanhGeluSlope(x)),
  }),
  defineOp("aten::logit_backward(Tensor grad_output, Tensor self, float? eps=None) -> Tensor", {
    scalar(grad, x, eps) {
      const slope = s.div(grad, s.mul(x, s.sub(1, x)));
      const [low, high] = eps === null ? [0, 1] : [numberOf(eps), 1 - numberOf(eps)];
      return s.select(s.or(s.lt(x, low), s.gt(x, high)), eps === null ? Number.NaN : 0, slope);
    },
  }),
  defineOp("aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", {
    scalar: (grad, mask, scale) => s.mul(s.mul(grad, mask), scale),
    promote: { kind: "numeric", operands: ["grad_output", "scale"] },
  }),
];

/** Computes Φ(x) + x·φ(x). */
function geluSlope(x: ScalarExpr): ScalarExpr {
  const normal = s.mul(0.5, s.add(1, s.erf(s.mul(x, Math.SQRT1_2))));
  const density = s.mul(1 / Math.sqrt(2 * Math.PI), s.exp(s.mul(-0.5, s.mul(x, x))));
  return s.add(normal, s.mul(x, density));
}

function tanhGeluSlope(x: ScalarExpr): ScalarExpr {
  const root = Math.sqrt(2 / Math.PI);
  const square = s.mul(x, x);
  const curve = s.tanh(s.mul(root, s.add(x, s.mul(0.044715, s.mul(square, x)))));
  const slope = s.mul(root, s.add(1, s.mul(3 * 0.044715, square)));
  const bend = s.mul(s.mul(s.mul(0.5, x), s.sub(1, s.mul(curve, curve))), slope);
  return s.add(s.mul(0.5, s.add(1, curve)), bend);
}
