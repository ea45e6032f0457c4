import { type Builder, isTensorMeta, type TensorMeta } from "@pt2/registry";
import { type GradientRules, ofResult } from "../gradient-rule.ts";
import { conj, gradientOf, type Operand } from "./complex-operands.ts";
import { Emit } from "./support.ts";

const power = ofResult((grad, { self, exponent }, b, call) => ({
  self: gradientOf(call, "self", () => byBase(grad, self as TensorMeta, exponent!, b), b),
  exponent: gradientOf(call, "exponent", () => byExponent(grad, self!, exponent as TensorMeta, call.results[0]!, b), b),
}));

/** The gradient rules of powers. */
export const COMPLEX_POWERS: GradientRules = {
  "aten::pow.Tensor_Tensor": power,
  "aten::pow.Tensor_Scalar": power,
  "aten::pow.Scalar": power,
};

/** The derivative is y x^(y - 1), and 0 where y is 0, also for x = 0. */
function byBase(grad: TensorMeta, self: TensorMeta, y: Operand, b: Builder): TensorMeta {
  const e = new Emit(b);
  const exponent = isTensorMeta(y) ? y : tensorOfNumber(y, grad, b);
  const smaller = e.tensor("aten::pow.Tensor_Tensor", { self, exponent: e.sub(exponent, 1) });
  const gradient = e.mul(grad, conj(e.mul(smaller, exponent), b));
  return e.where(e.tensor("aten::eq.Scalar", { self: exponent, other: 0 }), e.zeros(gradient), gradient);
}

/** The derivative is x^y log(x), and 0 where x is 0 and y is not negative. */
function byExponent(grad: TensorMeta, x: Operand, exponent: TensorMeta, result: TensorMeta, b: Builder): TensorMeta {
  const e = new Emit(b);
  const self = isTensorMeta(x) ? x : tensorOfNumber(x, result, b);
  const gradient = e.mul(grad, conj(e.mul(result, e.unary("log", self)), b));
  const isZero = e.tensor("aten::eq.Scalar", { self, other: 0 });
  const isPositive = e.tensor("aten::ge.Scalar", { self: e.unary("real", exponent), other: 0 });
  const none = e.tensor("aten::bitwise_and.Tensor", { self: isZero, other: isPositive });
  return e.where(none, e.zeros(gradient), gradient);
}

function tensorOfNumber(value: Operand, { dtype }: TensorMeta, b: Builder): TensorMeta {
  return new Emit(b).tensor("aten::scalar_tensor", { s: value, dtype });
}
