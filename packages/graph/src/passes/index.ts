export { type DeadCodeOptions, eliminateDeadCode } from "./dead-code.ts";
export { foldSymbolicArithmetic } from "./fold-symbolic.ts";
export { GraphBuilder, type NewNode } from "./graph-builder.ts";
export { isFunctional, isMutatingName } from "./mutating-names.ts";
export { type RemoveNoOpsOptions, removeNoOps } from "./remove-no-ops.ts";
export { Substitution } from "./substitution.ts";
export { isSymbolic } from "./symbolic-ops.ts";
