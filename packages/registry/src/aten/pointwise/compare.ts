import { defineOp, type OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import { binary, binaryOrScalar } from "./define.ts";

/** Defines comparisons, elementwise extrema, bounds and choices. */
export const COMPARE_OPS: readonly OpRecord[] = [
  ...binaryOrScalar("eq", s.eq, "bool"),
  ...binaryOrScalar(["ne", "not_equal"], s.ne, "bool"),
  ...binaryOrScalar(["lt", "less"], s.lt, "bool"),
  ...binaryOrScalar(["le", "less_equal"], s.le, "bool"),
  ...binaryOrScalar(["gt", "greater"], s.gt, "bool"),
  ...binaryOrScalar(["ge", "greater_equal"], s.ge, "bool"),
  ...binary(["maximum", "max.other"], s.max),
  ...binary(["minimum", "min.other"], s.min),
  ...binary("fmax", (x, y) => ignoreNaN(x, y, s.max(x, y))),
  ...binary("fmin", (x, y) => ignoreNaN(x, y, s.min(x, y))),
  defineOp(
    "aten::isclose(Tensor self, Tensor other, float rtol=1.0000000000000001e-05, float atol=1e-08, bool equal_nan=False) -> Tensor",
    {
      requires: { same: ["self", "other"] },
      scalar: isClose,
      promote: { kind: "float", result: "bool" },
    },
  ),
  defineOp("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", {
    requires: { wholes: { min: "self", max: "self" } },
    scalar: s.clamp,
    promote: { kind: "numeric", operands: ["self", "min", "max"] },
  }),
  defineOp("aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", { scalar: s.clamp }),
  defineOp("aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", {
    requires: { wholes: { min: "self", max: "self" } },
    scalar: s.clamp,
    promote: { kind: "numeric", operands: ["self", "min", "max"] },
  }),
  defineOp("aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", { scalar: s.clamp }),
  defineOp("aten::clamp_min(Tensor self, Scalar min) -> Tensor", {
    requires: { wholes: { min: "self" } },
    scalar: s.max,
    promote: { kind: "numeric", operands: ["self", "min"] },
  }),
  defineOp("aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", { scalar: s.max }),
  defineOp("aten::clamp_max(Tensor self, Scalar max) -> Tensor", {
    requires: { wholes: { max: "self" } },
    scalar: s.min,
    promote: { kind: "numeric", operands: ["self", "max"] },
  }),
  defineOp("aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", { scalar: s.min }),
  defineOp("aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", {
    requires: { kinds: { condition: "mask" } },
    scalar: s.select,
    promote: { kind: "numeric", operands: ["self", "other"] },
  }),
  defineOp("aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", {
    requires: { kinds: { condition: "mask" }, wholes: { self: "other" } },
    scalar: s.select,
    promote: { kind: "numeric", operands: ["self", "other"] },
  }),
  defineOp("aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", {
    requires: { kinds: { condition: "mask" }, wholes: { other: "self" } },
    scalar: s.select,
    promote: { kind: "numeric", operands: ["self", "other"] },
  }),
  defineOp("aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", {
    requires: { kinds: { condition: "mask" } },
    scalar: s.select,
    promote: { kind: "numeric", operands: ["self", "other"] },
  }),
  defineOp("aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", {
    requires: { kinds: { mask: "bool" }, elements: { value: "self" } },
    scalar: (x, mask, value) => s.select(mask, value, x),
    promote: { kind: "first" },
  }),
  defineOp("aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", {
    requires: { kinds: { mask: "bool" }, ranks: { value: [0] } },
    scalar: (x, mask, value) => s.select(mask, value, x),
    promote: { kind: "first" },
  }),
];

function ignoreNaN(x: ScalarExpr, y: ScalarExpr, extremum: ScalarExpr): ScalarExpr {
  return s.select(s.isnan(x), y, s.select(s.isnan(y), x, extremum));
}

function isClose(x: ScalarExpr, y: ScalarExpr, rtol: ScalarExpr, atol: ScalarExpr, equalNaN: boolean): ScalarExpr {
  const distance = s.abs(s.sub(x, y));
  const finite = s.not(s.or(s.isnan(distance), s.isinf(distance)));
  const near = s.and(finite, s.le(distance, s.add(atol, s.abs(s.mul(rtol, y)))));
  const close = s.or(s.eq(x, y), near);
  return equalNaN ? s.or(close, s.and(s.isnan(x), s.isnan(y))) : close;
}
