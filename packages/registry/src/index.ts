/**
 * Defines what PyTorch's ops mean. The records are in `@pt2/registry/aten`, and those that load on demand in
 * `./on-demand`.
 */

export type { Builder, Callable, EmitCall, KnownOp, SchemaOf, TypedOp } from "./builder.ts";
export { builderOf } from "./builder.ts";
export { effectsOf } from "./effects.ts";
export type * from "./handler.ts";
export { argValue, describe as describeNode } from "./lower/arguments.ts";
export type { Call, LoweredNode } from "./lower/call.ts";
export { requireArgumentValues } from "./lower/check-arguments.ts";
export type { TypedCall } from "./lower/elementwise.ts";
export { Emitter } from "./lower/emit.ts";
export { type Decomposition, decompositionOf } from "./lower/inline-decomposition.ts";
export { callArgs, irArg, type ValueNames } from "./lower/ir-args.ts";
export { isControl, lower } from "./lower/lower.ts";
export type { LowerTarget } from "./lower/lower-target.ts";
export type { LoweredGraph } from "./lower/lowered-graph.ts";
export { isTensor, type LoweredTensor, tensorsIn } from "./lower/lowered-tensor.ts";
export type { LowerOptions } from "./lower/lowering.ts";
export type { NodeClasses } from "./lower/node-classes.ts";
export type { RepeatedStage, Repetition } from "./lower/repetition.ts";
export { isRuntimeScalar, type RuntimeScalar, type RuntimeScalars, runtimeScalar } from "./lower/runtime-scalar.ts";
export type { GraphBreak, LowerAgain, Stage } from "./lower/stage.ts";
export { evaluateSymbolic } from "./lower/symbolic.ts";
export { isMask } from "./mask.ts";
export type { GradientCall, OpRecord, OpRules, Promotion, Window } from "./op.ts";
export { defineOp } from "./op.ts";
export type { OpRegistry, RegistryEntry, RegistryParts } from "./op-registry.ts";
export { resolveArgs } from "./op-registry.ts";
export type { OpSchemas } from "./op-schemas.gen.ts";
export type { OpSet, Part } from "./op-set.ts";
export { OPS_API_VERSION } from "./op-set.ts";
export type { ScalarCall } from "./promotion.ts";
export { computeDtype, promoteTypes, resultType, typeScalarCall } from "./promotion.ts";
export type { RegistryErrorCode } from "./registry-errors.ts";
export { REGISTRY_ERRORS } from "./registry-errors.ts";
export type * from "./scalar/expr.ts";
export { argOfName } from "./schema/arg-of-name.ts";
export type { ArgsOf, CallArgs, CallResults, DataOf, Operands, ResultsOf } from "./schema/infer-types.ts";
export { parseSchema } from "./schema/parse.ts";
export { printSchema } from "./schema/print-schema.ts";
export { printType } from "./schema/print-type.ts";
export type * from "./schema/types.ts";
export type * from "./tensor-meta.ts";
export { createRegistry } from "./user-ops/create-registry.ts";
export type { HandledCall, HandlerAnswer } from "./user-ops/handler-results.ts";
export type { LibraryEntry, LibraryItem, Registration } from "./user-ops/op-library.ts";
export { OpLibrary } from "./user-ops/op-library.ts";
export { answersOf, requireAsRecorded, requireDepth, requireFunction } from "./user-ops/results.ts";
export { effectsOfHandled } from "./user-ops/user-effects.ts";
export { contiguous, viewStrides } from "./view.ts";
export { isTensorMeta, wrapNumber } from "./wrapped.ts";
