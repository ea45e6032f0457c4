import type { OpRecord } from "../op.ts";
import { typeScalarCall } from "../promotion.ts";
import { simplify } from "../scalar/simplify.ts";
import { type TypedExpr, typeExpr } from "../scalar/typed.ts";
import type { ArgValue, Scalar, TensorMeta } from "../tensor-meta.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";
import type { RuntimeScalar } from "./runtime-scalar.ts";

/** An elementwise call that is ready for code generation or fusion: every conversion is explicit in `expr`. */
export interface TypedCall extends TensorMeta {
  readonly expr: TypedExpr;
  /** The tensors that `input` nodes refer to by index; each broadcasts to `shape`. */
  readonly operands: readonly LoweredTensor[];
}

/** Types and simplifies one call of an op that has a `scalar` rule. */
export function typedCall(
  record: OpRecord,
  args: Readonly<Record<string, ArgValue>>,
  fix: (number: RuntimeScalar) => Scalar,
): TypedCall {
  const { dtype, shape, compute, expr, operands } = typeScalarCall(record, args, fix);
  const rules = { compute, operands: operands.map((operand) => operand.dtype), result: dtype };
  // The list was built by appending and has spare capacity; its copy has none, which matters for every call of a
  // program.
  return { dtype, shape, expr: simplify(typeExpr(expr, rules)), operands: [...operands] as LoweredTensor[] };
}
