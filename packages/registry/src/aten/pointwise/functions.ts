import type { Builder } from "../../builder.ts";
import { DEFAULT_DTYPE } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import { convert } from "../../scalar/convert.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import type { Scalar, TensorMeta } from "../../tensor-meta.ts";
import { isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { unary } from "./define.ts";

const float = (names: string | readonly string[], rule: (x: ScalarExpr) => ScalarExpr): readonly OpRecord[] =>
  unary(names, rule, "float");

/** Defines functions whose result is a floating point tensor: integers become the default floating point dtype. */
export const FUNCTION_OPS: readonly OpRecord[] = [
  ...float("sqrt", s.sqrt),
  ...float("rsqrt", s.rsqrt),
  ...float("reciprocal", s.reciprocal),
  ...float("exp", s.exp),
  ...float(["exp2", "special_exp2"], s.exp2),
  ...float(["expm1", "special_expm1"], s.expm1),
  ...float("log", s.log),
  ...float("log2", s.log2),
  ...float("log10", s.log10),
  ...float(["log1p", "special_log1p"], s.log1p),
  ...float("sin", s.sin),
  ...float("cos", s.cos),
  ...float("tan", s.tan),
  ...float(["asin", "arcsin"], s.asin),
  ...float(["acos", "arccos"], s.acos),
  ...float(["atan", "arctan"], s.atan),
  ...float("sinh", s.sinh),
  ...float("cosh", s.cosh),
  ...float("tanh", s.tanh),
  ...float(["asinh", "arcsinh"], s.asinh),
  ...float(["acosh", "arccosh"], s.acosh),
  ...float(["atanh", "arctanh"], s.atanh),
  ...float(["erf", "special_erf"], s.erf),
  ...float(["erfc", "special_erfc"], s.erfc),
  ...float(["erfinv", "special_erfinv"], s.erfinv),
  ...float(["lgamma", "special_gammaln"], s.lgamma),
  ...float(["digamma", "special_digamma", "special_psi"], s.digamma),
  ...float(["sigmoid", "special_expit"], s.sigmoid),
  ...float(["sinc", "special_sinc"], (x) => sinc(s.mul(x, Math.PI))),
  ...float("deg2rad", (x) => s.mul(x, Math.PI / 180)),
  ...float("rad2deg", (x) => s.mul(x, 180 / Math.PI)),
  ...float("special_ndtr", (x) => s.mul(0.5, s.erfc(s.mul(x, -Math.SQRT1_2)))),
  ...float("special_entr", entropy),
  ...["aten::logit", "aten::special_logit"].map((name) =>
    defineOp(`${name}(Tensor self, float? eps=None) -> Tensor`, { decompose: logit }),
  ),
];

function sinc(x: ScalarExpr): ScalarExpr {
  return s.select(s.eq(x, 0), 1, s.div(s.sin(x), x));
}

/** Computes -x·log x, extended to 0 at 0 and to -∞ below. */
function entropy(x: ScalarExpr): ScalarExpr {
  const outside = s.select(s.eq(x, 0), 0, s.select(s.isnan(x), x, Number.NEGATIVE_INFINITY));
  return s.select(s.gt(x, 0), s.mul(s.neg(x), s.log(x)), outside);
}

/** As in PyTorch the bounds are numbers of the dtype, and the lower one wins where it is larger. */
function logit({ self, eps }: { readonly self: TensorMeta; readonly eps: number | null }, b: Builder): TensorMeta {
  const { cast, div, gt, log, lt, sub, where, wide } = emit(b);
  const dtype = isIntegral(self.dtype) ? DEFAULT_DTYPE : self.dtype;
  const x = wide(cast(self, dtype));
  const rounded = (value: number): Scalar => ({ float: Number(convert(dtype, value)) });
  const curve = (inside: TensorMeta): TensorMeta => cast(log(div(inside, sub({ float: 1 }, inside))), dtype);
  if (eps === null) return curve(x);
  const low = rounded(eps);
  const high = rounded(1 - Number(convert(dtype, eps)));
  return curve(where(lt(x, low), low, where(gt(x, high), high, x)));
}
