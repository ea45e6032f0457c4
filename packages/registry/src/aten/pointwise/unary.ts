import { DTYPES } from "@pt2/format";
import { partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord, type Promotion, type Requirements } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { numberOf, unary } from "./define.ts";

const REAL: Requirements = { kinds: { self: "real" } };

/** Defines functions of one tensor that keep its dtype, or return bool. */
export const UNARY_OPS: readonly OpRecord[] = [
  ...unary(["neg", "negative"], s.neg),
  ...unary("sgn", s.sign),
  defineOp("aten::sign(Tensor self) -> Tensor", { requires: REAL, scalar: (x) => s.sign(x) }),
  ...unary("ceil", s.ceil),
  ...unary("floor", s.floor),
  ...unary(["trunc", "fix"], s.trunc),
  ...unary("round", s.round),
  ...unary("frac", (x) => s.sub(x, s.trunc(x))),
  defineOp("aten::square(Tensor self) -> Tensor", {
    scalar: s.square,
    promote: ({ self }) => ({ kind: "numeric", result: self.dtype === "bool" ? "int64" : undefined }),
  }),
  ...unary("isnan", s.isnan, "bool"),
  ...unary("isinf", s.isinf, "bool"),
  ...unary("isfinite", (x) => s.not(s.or(s.isnan(x), s.isinf(x))), "bool"),
  defineOp("aten::isposinf(Tensor self) -> Tensor", {
    requires: REAL,
    scalar: (x) => s.and(s.isinf(x), s.gt(x, 0)),
    promote: { kind: "bool" },
  }),
  defineOp("aten::isneginf(Tensor self) -> Tensor", {
    requires: REAL,
    scalar: (x) => s.and(s.isinf(x), s.lt(x, 0)),
    promote: { kind: "bool" },
  }),
  ...unary("conj_physical", (x) => x),
  defineOp("aten::signbit(Tensor self) -> Tensor", {
    scalar: (x) => s.lt(s.copysign(1, x), 0),
    promote: { kind: "float", result: "bool" },
  }),
  defineOp("aten::abs(Tensor self) -> Tensor", { scalar: s.abs, promote: ({ self }) => realResult(self, "numeric") }),
  defineOp("aten::absolute(Tensor self) -> Tensor", {
    scalar: s.abs,
    promote: ({ self }) => realResult(self, "numeric"),
  }),
  defineOp("aten::angle(Tensor self) -> Tensor", {
    scalar: (x) => s.select(s.isnan(x), x, s.select(s.lt(x, 0), Math.PI, 0)),
    promote: ({ self }) => realResult(self, "float"),
  }),
  defineOp("aten::round.decimals(Tensor self, *, int decimals) -> Tensor", {
    scalar: (x, decimals) => roundTo(x, numberOf(decimals)),
  }),
  defineOp("aten::special_round(Tensor self, *, int decimals=0) -> Tensor", {
    scalar: (x, decimals) => roundTo(x, numberOf(decimals)),
  }),
];

/** The modulus and the angle of a complex number are real. */
function realResult({ dtype }: TensorMeta, kind: Promotion["kind"]): Promotion {
  return DTYPES[dtype].kind === "complex" ? { kind, result: partOf(dtype) } : { kind };
}

function roundTo(x: ScalarExpr, decimals: number): ScalarExpr {
  if (decimals === 0) return s.round(x);
  const power = 10 ** Math.abs(decimals);
  return decimals > 0 ? s.div(s.round(s.mul(x, power)), power) : s.mul(s.round(s.div(x, power)), power);
}
