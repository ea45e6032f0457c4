import type { DType } from "@pt2/format";
import { defineOp, type OpRecord, type Promotion, type Requirements } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta, pythonDtype } from "../../wrapped.ts";
import { isFloat, isIntegral } from "../support/dtypes.ts";
import { binaryOrScalar, scalarFirst, scaled } from "./define.ts";

const plus = (x: ScalarExpr, y: ScalarExpr, alpha: ScalarExpr): ScalarExpr => s.add(x, scaled(y, alpha, s.mul));
const minus = (x: ScalarExpr, y: ScalarExpr, alpha: ScalarExpr): ScalarExpr => s.sub(x, scaled(y, alpha, s.mul));
const minusFrom = (x: ScalarExpr, y: ScalarExpr, alpha: ScalarExpr): ScalarExpr => minus(y, x, alpha);

/** PyTorch rounds the factor like the operands. */
const SUM = {
  requires: { factors: ["alpha"] },
  promote: { kind: "numeric", rounded: ["alpha"] },
  numbers: ["other", "alpha"],
  validate: ({ self, other, alpha }: SumArgs) =>
    !isTensorMeta(alpha) && isFloat(pythonDtype(alpha)) && [self, other].every((value) => isIntegral(dtypeOf(value)))
      ? "For integral input tensors, argument alpha must not be a floating point number."
      : null,
} as const satisfies {
  readonly requires: Requirements;
  readonly promote: Promotion;
  readonly numbers: readonly string[];
  readonly validate: unknown;
};

interface SumArgs {
  readonly self: TensorMeta;
  readonly other: TensorMeta | Scalar;
  readonly alpha: Scalar;
}

/** The dtype of an operand; a number that is known only at run time is a tensor. */
function dtypeOf(value: TensorMeta | Scalar): DType {
  return isTensorMeta(value) ? value.dtype : pythonDtype(value);
}

/** Defines addition, subtraction, multiplication and division with their synonyms and rounding modes. */
export const ARITHMETIC_OPS: readonly OpRecord[] = [
  defineOp("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", { ...SUM, scalar: plus }),
  defineOp("aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", { ...SUM, scalar: plus }),
  defineOp("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minus }),
  defineOp("aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minus }),
  defineOp("aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minus }),
  defineOp("aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minus }),
  defineOp("aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minusFrom }),
  defineOp("aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", { ...SUM, scalar: minusFrom }),
  ...binaryOrScalar(["mul", "multiply"], s.mul, { kind: "numeric", exact: "other" }),
  ...binaryOrScalar(["div", "divide", "true_divide"], s.div, { kind: "float", exact: "other" }),
  defineOp("aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", {
    scalar: divide,
    promote: ({ rounding_mode }) => quotient(rounding_mode),
  }),
  defineOp("aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", {
    scalar: divide,
    promote: ({ rounding_mode }) => quotient(rounding_mode),
  }),
  defineOp("aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", {
    scalar: divide,
    promote: ({ rounding_mode }) => quotient(rounding_mode),
  }),
  defineOp("aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", {
    scalar: divide,
    promote: ({ rounding_mode }) => quotient(rounding_mode),
  }),
  defineOp("aten::floor_divide(Tensor self, Tensor other) -> Tensor", {
    scalar: s.floordiv,
    promote: { kind: "numeric", exact: "other" },
    inPlace: ["aten::floor_divide_.Tensor"],
  }),
  defineOp("aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", {
    scalar: s.floordiv,
    promote: { kind: "numeric", exact: "other" },
  }),
  ...binaryOrScalar("remainder", s.mod),
  scalarFirst("remainder.Scalar_Tensor", s.mod),
  ...binaryOrScalar("fmod", s.fmod),
  defineOp("aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", {
    scalar: (x, a, b, value) => s.add(x, s.mul(scaled(a, value, s.mul), b)),
  }),
  defineOp("aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", {
    scalar: (x, a, b, value) => s.add(x, s.div(scaled(a, value, s.mul), b)),
  }),
  defineOp("aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", {
    requires: { same: ["self", "end"] },
    validate: ({ self }) => lerpProblem(self),
    numbers: ["weight"],
    scalar: lerp,
    promote: { kind: "numeric", operands: ["self", "end"] },
  }),
  defineOp("aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", {
    requires: { same: ["self", "end", "weight"] },
    validate: ({ self }) => lerpProblem(self),
    scalar: lerp,
  }),
];

function lerpProblem({ dtype }: TensorMeta): string | null {
  return isIntegral(dtype) ? `lerp is not implemented for ${dtype}` : null;
}

function divide(x: ScalarExpr, y: ScalarExpr, mode: string | null): ScalarExpr {
  if (mode === null) return s.div(x, y);
  return mode === "floor" ? s.floordiv(x, y) : s.truncdiv(x, y);
}

function quotient(mode: string | null): Promotion {
  return { kind: mode === null ? "float" : "numeric", exact: "other" };
}

/** Interpolates exactly at both ends, as PyTorch does. */
function lerp(start: ScalarExpr, end: ScalarExpr, weight: ScalarExpr): ScalarExpr {
  const span = s.sub(end, start);
  const near = s.add(start, s.mul(weight, span));
  return s.select(s.lt(s.abs(weight), 0.5), near, s.sub(end, s.mul(span, s.sub(1, weight))));
}
