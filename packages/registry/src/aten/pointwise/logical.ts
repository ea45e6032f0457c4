import type { OpRecord } from "../../op.ts";
import { scalar as s } from "../../scalar/build.ts";
import type { ScalarExpr } from "../../scalar/expr.ts";
import { binary, binaryOrScalar, scalarFirst, scalarSecond, unary } from "./define.ts";

const truth = (x: ScalarExpr): ScalarExpr => s.cast("bool", x);

/** Defines logical ops on truth values, and bitwise ops on integers. */
export const LOGICAL_OPS: readonly OpRecord[] = [
  ...unary("logical_not", (x) => s.not(truth(x)), "bool"),
  ...binary("logical_and", (x, y) => s.and(truth(x), truth(y)), "bool"),
  ...binary("logical_or", (x, y) => s.or(truth(x), truth(y)), "bool"),
  ...binary("logical_xor", (x, y) => s.xor(truth(x), truth(y)), "bool"),
  ...unary("bitwise_not", s.not),
  ...binaryOrScalar(["bitwise_and", "__and__"], s.and),
  ...binaryOrScalar(["bitwise_or", "__or__"], s.or),
  ...binaryOrScalar(["bitwise_xor", "__xor__"], s.xor),
  scalarFirst("bitwise_and.Scalar_Tensor", s.and),
  scalarFirst("bitwise_or.Scalar_Tensor", s.or),
  scalarFirst("bitwise_xor.Scalar_Tensor", s.xor),
  ...binaryOrScalar("__lshift__", s.shl),
  ...binaryOrScalar("__rshift__", s.shr),
  ...binary("bitwise_left_shift.Tensor", s.shl),
  scalarSecond("bitwise_left_shift.Tensor_Scalar", s.shl),
  scalarFirst("bitwise_left_shift.Scalar_Tensor", s.shl),
  ...binary("bitwise_right_shift.Tensor", s.shr),
  scalarSecond("bitwise_right_shift.Tensor_Scalar", s.shr),
  scalarFirst("bitwise_right_shift.Scalar_Tensor", s.shr),
];
