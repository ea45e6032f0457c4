import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isTensorMeta, pythonDtype } from "../../wrapped.ts";
import { isComplex, isFloat, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { binary, numberOf, scalarFirst, scalarSecond } from "./define.ts";

const both = { kind: "numeric", operands: ["self", "exponent"] } as const;

/** Defines powers, logarithms of sums, and other functions of two floats. */
export const POWER_OPS: readonly OpRecord[] = [
  defineOp("aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", {
    scalar: s.pow,
    promote: both,
    inPlace: ["aten::pow_.Tensor"],
  }),
  defineOp("aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", {
    validate: ({ self, exponent }) =>
      isIntegral(self.dtype) && typeof exponent !== "object" && Number(exponent) < 0
        ? "Integers to negative integer powers are not allowed. Convert `self` to a float dtype first."
        : null,
    scalar: powerOf,
    promote: both,
    numbers: ["exponent"],
    inPlace: ["aten::pow_.Scalar"],
  }),
  defineOp("aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", { scalar: s.pow, promote: both }),
  defineOp("aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", {
    decompose: ({ self, exponent }, b) => doublePower(self, exponent, b),
    inPlace: ["aten::float_power_.Tensor"],
  }),
  defineOp("aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", {
    decompose: ({ self, exponent }, b) => doublePower(self, exponent, b),
    inPlace: ["aten::float_power_.Scalar"],
  }),
  defineOp("aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", {
    decompose: ({ self, exponent }, b) => {
      const wide = isComplex(pythonDtype(self)) || isComplex(exponent.dtype) ? "complex128" : "float64";
      return b.tensor("aten::pow.Scalar", { self, exponent: emit(b).cast(exponent, wide) });
    },
  }),
  ...binary(["atan2", "arctan2"], s.atan2, "float"),
  ...binary("hypot", s.hypot),
  ...binary("nextafter", s.nextafter),
  ...binary("copysign.Tensor", s.copysign, "float"),
  scalarSecond("copysign.Scalar", s.copysign, "float"),
  ...binary(["xlogy.Tensor", "special_xlogy"], xlogy, "float"),
  scalarSecond("xlogy.Scalar_Other", xlogy, "float"),
  scalarFirst("xlogy.Scalar_Self", xlogy, "float"),
  scalarSecond("special_xlogy.other_scalar", xlogy, "float"),
  scalarFirst("special_xlogy.self_scalar", xlogy, "float"),
  ...binary("special_xlog1py", xlog1py, "float"),
  scalarSecond("special_xlog1py.other_scalar", xlog1py, "float"),
  scalarFirst("special_xlog1py.self_scalar", xlog1py, "float"),
  ...binary("logaddexp", (x, y) => logAddExp(x, y, (d) => s.log1p(s.exp(d))), "float"),
  ...binary("logaddexp2", (x, y) => logAddExp(x, y, (d) => s.mul(s.log1p(s.exp2(d)), Math.LOG2E)), "float"),
  defineOp("aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", {
    // Otherwise these are two ops, because PyTorch rounds the power to the exponent's dtype.
    decompose: ({ self, other }, b) =>
      isFloat(self.dtype) && isIntegral(other.dtype)
        ? scaledByPower(self, other, b)
        : emit(b).mul(self, powerOfTwo(other, b)),
    inPlace: ["aten::ldexp_"],
  }),
  defineOp("aten::heaviside(Tensor self, Tensor values) -> Tensor", {
    scalar: (x, values) => s.select(s.eq(x, 0), values, s.select(s.gt(x, 0), 1, 0)),
  }),
];

function powerOfTwo(exponent: TensorMeta, b: Builder): TensorMeta {
  return b.tensor("aten::pow.Scalar", { self: { float: 2 }, exponent });
}

/** Beyond these, from the smallest number to more than the largest, a product is zero or infinite; a third is within range. */
const MOST_EXPONENT = { float32: 375, float64: 2200 } as const;

/**
 * Computes `self` times 2 to the power of integers, in the dtype of `self`. The power itself may be out of range where the product
 * is not, so these are three factors.
 */
function scaledByPower(self: TensorMeta, exponent: TensorMeta, b: Builder): TensorMeta {
  const { cast, div, mul, sub } = emit(b);
  const dtype = self.dtype === "float64" ? "float64" : "float32";
  const most = MOST_EXPONENT[dtype];
  const all = b.tensor("aten::clamp", { self: cast(exponent, dtype), min: -most, max: most });
  const third = b.tensor("aten::trunc", { self: div(all, 3) });
  const [factor, rest] = [powerOfTwo(third, b), powerOfTwo(sub(all, mul(third, 2)), b)];
  return cast(mul(mul(mul(cast(self, dtype), factor), factor), rest), self.dtype);
}

/** Computes `float_power`, in float64 or complex128 for all dtypes. */
function doublePower(self: TensorMeta, exponent: TensorMeta | Scalar, b: Builder): TensorMeta {
  const { cast } = emit(b);
  const given = isTensorMeta(exponent) ? exponent.dtype : pythonDtype(exponent);
  const wide = isComplex(given) || isComplex(self.dtype) ? "complex128" : "float64";
  const other = isTensorMeta(exponent) ? cast(exponent, wide) : exponent;
  return isTensorMeta(other)
    ? b.tensor("aten::pow.Tensor_Tensor", { self: cast(self, wide), exponent: other })
    : b.tensor("aten::pow.Tensor_Scalar", { self: cast(self, wide), exponent: other });
}

/** Specializes the exponents that PyTorch computes without `pow`. */
function powerOf(x: ScalarExpr, exponent: ScalarExpr): ScalarExpr {
  switch (numberOf(exponent)) {
    case 1:
      return x;
    case 2:
      return s.mul(x, x);
    case 3:
      return s.mul(s.mul(x, x), x);
    case 0.5:
      return s.sqrt(x);
    case -0.5:
      return s.rsqrt(x);
    case -1:
      return s.reciprocal(x);
    case -2:
      return s.reciprocal(s.mul(x, x));
    default:
      return s.pow(x, exponent);
  }
}

function xlogy(x: ScalarExpr, y: ScalarExpr): ScalarExpr {
  return s.select(s.isnan(y), y, s.select(s.eq(x, 0), 0, s.mul(x, s.log(y))));
}

function xlog1py(x: ScalarExpr, y: ScalarExpr): ScalarExpr {
  return s.select(s.isnan(y), y, s.select(s.eq(x, 0), 0, s.mul(x, s.log1p(y))));
}

/** If both are infinite and equal, their difference would be NaN. */
function logAddExp(x: ScalarExpr, y: ScalarExpr, tail: (d: ScalarExpr) => ScalarExpr): ScalarExpr {
  const same = s.and(s.isinf(x), s.eq(x, y));
  return s.select(same, x, s.add(s.max(x, y), tail(s.neg(s.abs(s.sub(x, y))))));
}
