import type { OpRecord } from "../op.ts";
import { typeScalarCall } from "../promotion.ts";
import { simplify } from "../scalar/simplify.ts";
import { type TypedExpr, typeExpr } from "../scalar/typed.ts";
import type { ArgValue, Scalar, TensorMeta } from "../tensor-meta.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";
import type { RunNumber } from "./run-number.ts";

/** An elementwise call ready to be generated or fused: every conversion is explicit in `expr`. */
export interface TypedCall extends TensorMeta {
  readonly expr: TypedExpr;
  /** The tensors that `input` nodes index; each broadcasts to `shape`. */
  readonly operands: readonly LoweredTensor[];
}

/** Types and simplifies one call of an op that has a `scalar` rule. */
export function typedCall(
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  fix: (number: RunNumber) => Scalar,
): TypedCall {
  const { dtype, shape, compute, expr, operands } = typeScalarCall(record, args, fix);
  const rules = { compute, operands: operands.map((operand) => operand.dtype), result: dtype };
  // A list that grew has room for more, which each call of a program would keep: its copy has none.
  return { dtype, shape, expr: simplify(typeExpr(expr, rules)), operands: [...operands] as LoweredTensor[] };
}
