import { defineOp, type OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import { numberOf, unary } from "./define.ts";

// The order of `max` and `min` arguments decides that no gradient passes at a bound, see `ScalarBuilders.clamp`.
const between = (x: ScalarExpr, low: ScalarExpr | number, high: ScalarExpr | number): ScalarExpr =>
  s.min(high, s.max(low, x));
const hardGate = (x: ScalarExpr): ScalarExpr => between(s.add(x, 3), 0, 6);

const SELU_ALPHA = 1.6732632423543772;
const SELU_SCALE = 1.0507009873554805;

/** Defines activations. */
export const ACTIVATION_OPS: readonly OpRecord[] = [
  ...unary("relu", s.relu),
  ...unary("relu6", (x) => between(x, 0, 6)),
  ...unary("silu", (x) => s.mul(x, s.sigmoid(x))),
  ...unary("mish", (x) => s.mul(x, s.tanh(s.log1p(s.exp(x))))),
  ...unary("hardswish", (x) => s.div(s.mul(x, hardGate(x)), 6)),
  ...unary("hardsigmoid", (x) => s.div(hardGate(x), 6)),
  ...unary("selu", (x) => elu(x, SELU_ALPHA, SELU_SCALE, 1)),
  ...unary("log_sigmoid", logSigmoid),
  defineOp('aten::gelu(Tensor self, *, str approximate="none") -> Tensor', { scalar: gelu }),
  defineOp("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", {
    scalar: (x, alpha, scale, input) => elu(x, numberOf(alpha), numberOf(scale), numberOf(input)),
  }),
  defineOp("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", {
    scalar: (x, alpha) => elu(x, numberOf(alpha), 1, 1 / numberOf(alpha)),
  }),
  defineOp("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", { scalar: between }),
  defineOp("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", {
    scalar: (x, slope) => s.select(s.gt(x, 0), x, s.mul(x, slope)),
  }),
  defineOp("aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", {
    scalar: (x, weight) => s.select(s.gt(x, 0), x, s.mul(weight, x)),
  }),
  defineOp("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", { scalar: softplus }),
  defineOp("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", {
    scalar: (x, lambd) => s.select(s.and(s.ge(x, s.neg(lambd)), s.le(x, lambd)), 0, x),
    promote: { kind: "numeric", rounded: ["lambd"] },
  }),
  defineOp("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", {
    requires: { ranges: { lambd: [0, Number.MAX_VALUE] } },
    scalar: softshrink,
  }),
  defineOp("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", {
    scalar: (x, threshold, value) => s.select(s.le(x, threshold), value, x),
  }),
];

function elu(x: ScalarExpr, alpha: number, scale: number, input: number): ScalarExpr {
  const positive = scale === 1 ? x : s.mul(x, scale);
  const inner = input === 1 ? x : s.mul(x, input);
  return s.select(s.gt(x, 0), positive, s.mul(s.expm1(inner), alpha * scale));
}

/** The exponent is -|x|, written so that its derivative at 0 is that from the right, as the one of `min` is. */
function logSigmoid(x: ScalarExpr): ScalarExpr {
  return s.sub(s.min(0, x), s.log1p(s.exp(s.select(s.lt(x, 0), x, s.neg(x)))));
}

function gelu(x: ScalarExpr, approximate: string): ScalarExpr {
  if (approximate === "none") return s.mul(s.mul(x, 0.5), s.add(1, s.erf(s.mul(x, Math.SQRT1_2))));
  const cubic = s.add(x, s.mul(0.044715, s.mul(s.mul(x, x), x)));
  return s.mul(s.mul(x, 0.5), s.add(1, s.tanh(s.mul(Math.sqrt(2 / Math.PI), cubic))));
}

function softplus(x: ScalarExpr, beta: ScalarExpr, threshold: ScalarExpr): ScalarExpr {
  const scaled = numberOf(beta) === 1 ? x : s.mul(x, beta);
  const curve = s.log1p(s.exp(scaled));
  return s.select(s.gt(scaled, threshold), x, numberOf(beta) === 1 ? curve : s.div(curve, beta));
}

/** The middle is `0 * x`, so that NaN stays NaN. */
function softshrink(x: ScalarExpr, lambd: ScalarExpr): ScalarExpr {
  const below = s.select(s.lt(x, -numberOf(lambd)), s.add(x, lambd), s.mul(x, 0));
  return s.select(s.gt(x, lambd), s.sub(x, lambd), below);
}
