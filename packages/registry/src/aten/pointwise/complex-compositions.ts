import type { DType } from "@pt2/format";
import type { Builder } from "../../builder.ts";
import type { ArgValue, TensorMeta } from "../../tensor-meta.ts";
import { complexConvolution } from "../conv/complex-convolution.ts";
import type { Convolution } from "../conv/geometry.ts";
import { joinParts, partsOf } from "../support/complex-parts.ts";
import { emit, type Operand } from "../support/emit.ts";
import { complexSize } from "./complex-functions.ts";

/** A decomposition of an op for complex numbers. */
export type Composition = (args: Readonly<Record<string, ArgValue>>, b: Builder) => TensorMeta | null;

const lerp: Composition = ({ self, end, weight }, b) => {
  const { add, mul, sub } = emit(b);
  return add(self as Operand, mul(sub(end as Operand, self as Operand), weight as Operand));
};

/** Computes `self + value * (tensor1 * tensor2)`, or the same with a quotient. */
const addTo =
  (op: "mul" | "div"): Composition =>
  ({ self, tensor1, tensor2, value }, b) => {
    const e = emit(b);
    return e.add(self as Operand, e.mul(e[op](tensor1 as Operand, tensor2 as Operand), value as Operand));
  };

type Logic = "aten::logical_and" | "aten::logical_or";

/** Decomposes a predicate that depends on the real part, the imaginary part, or both. */
const ofParts =
  (op: "aten::isfinite" | "aten::isinf" | "aten::isnan", combine: Logic): Composition =>
  ({ self }, b) => {
    const { re, im } = partsOf(self!, b);
    return b.tensor(combine, { self: b.tensor(op, { self: re }), other: b.tensor(op, { self: im }) });
  };

/** Two numbers are close if they are equal, or a finite distance within the tolerance apart. */
const isClose: Composition = ({ self, other, rtol, atol, equal_nan }, b) => {
  const { abs, add, eq, le, mul, sub } = emit(b);
  const [x, y] = [self as TensorMeta, other as TensorMeta];
  const logic = (op: Logic, a: TensorMeta, c: TensorMeta): TensorMeta => b.tensor(op, { self: a, other: c });
  const isA = (op: "aten::isfinite" | "aten::isnan", a: TensorMeta): TensorMeta => b.tensor(op, { self: a });
  const distance = abs(sub(x, y));
  const allowed = add(mul(abs(y), rtol as Operand), atol as Operand);
  const near = logic("aten::logical_and", isA("aten::isfinite", distance), le(distance, allowed));
  const close = logic("aten::logical_or", eq(x, y), near);
  if (equal_nan !== true) return close;
  return logic("aten::logical_or", close, logic("aten::logical_and", isA("aten::isnan", x), isA("aten::isnan", y)));
};

/**
 * Computes the logarithm of a sum of exponentials; as in PyTorch, its imaginary part continues that of the larger
 * number.
 */
const logAddExp: Composition = ({ self, other }, b) => {
  const { add, eq, exp, log1p, lt, sub, where } = emit(b);
  const [x, y] = [self as TensorMeta, other as TensorMeta];
  const real = (z: TensorMeta): TensorMeta => b.tensor("aten::real", { self: z });
  const less = lt(real(x), real(y));
  const [small, large] = [where(less, x, y), where(less, y, x)];
  const none = eq(real(large), { float: Number.NEGATIVE_INFINITY });
  return where(none, small, add(log1p(exp(sub(small, large))), large));
};

/** Computes sin(πx) / (πx), and 1 at zero. */
const sinc: Composition = ({ self }, b) => {
  const { div, eq, mul, where } = emit(b);
  const turned = mul(self as TensorMeta, { float: Math.PI });
  return where(eq(turned, 0), { float: 1 }, div(b.tensor("aten::sin", { self: turned }), turned));
};

/** Divides; complex numbers have no quotient that is rounded. */
const divide: Composition = ({ self, other, rounding_mode }, b) =>
  rounding_mode === null ? emit(b).div(self as Operand, other as Operand) : null;

/** Ops that decompose into other ops on complex numbers, or on the real and imaginary parts. */
export const COMPLEX_COMPOSITIONS: Readonly<Record<string, Composition>> = {
  "aten::addcmul": addTo("mul"),
  "aten::addcdiv": addTo("div"),
  ...Object.fromEntries(
    ["div.Tensor_mode", "div.Scalar_mode", "divide.Tensor_mode", "divide.Scalar_mode"].map((op) => [
      `aten::${op}`,
      divide,
    ]),
  ),
  "aten::lerp.Scalar": lerp,
  "aten::lerp.Tensor": lerp,
  "aten::isnan": ofParts("aten::isnan", "aten::logical_or"),
  "aten::isinf": ofParts("aten::isinf", "aten::logical_or"),
  "aten::isfinite": ofParts("aten::isfinite", "aten::logical_and"),
  "aten::isclose": isClose,
  "aten::logaddexp": logAddExp,
  "aten::sinc": sinc,
  "aten::special_sinc": sinc,
  "aten::convolution": (conv, b) => complexConvolution(conv as unknown as Convolution, b),
  "aten::scalar_tensor": ({ s, dtype }, b) => joinParts(partsOf(s!, b), { dtype: dtype as DType, shape: [] }, b),
  "aten::silu": ({ self }, b) => emit(b).mul(self as TensorMeta, emit(b).sigmoid(self as TensorMeta)),
  "aten::sgn": ({ self }, b) => {
    const { where, eq, div } = emit(b);
    const size = complexSize(b, partsOf(self!, b));
    return div(self as TensorMeta, where(eq(size, 0), { float: 1 }, size));
  },
};
