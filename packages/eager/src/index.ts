/** Calls ops one by one, as Python does, on any backend. */

export type { FloatArgument, IntArgument, NumberArgument } from "./argument-types.ts";
export type { Aten } from "./aten.gen.ts";
export { EAGER_ERRORS, type EagerErrorCode } from "./eager-errors.ts";
export { type EagerOps, type EagerOptions, eagerOps } from "./eager-ops.ts";
export type { EagerTensor } from "./eager-tensor.ts";
export { type ForwardArgs, type ForwardOps, forwardOp } from "./forward-op.ts";
export type { Namespace, OpFunction, Overload } from "./namespaces.ts";
export { type OverloadOf, overloadsOf } from "./overload-of.ts";
