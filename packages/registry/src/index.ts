export type * from "./builder.ts";
export type * from "./handler.ts";
export { defineOp } from "./op.ts";
export type { GradientCall, OpRecord, OpRules, Promotion } from "./op.ts";
export type * from "./op-set.ts";
export type * from "./scalar/expr.ts";
export type { ArgsOf, Operands, ResultsOf } from "./schema/infer-types.ts";
export type * from "./schema/types.ts";
export type * from "./tensor-meta.ts";
