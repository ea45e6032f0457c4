// Exports the ops that load on demand, so that a page that runs an image classifier does not download linear algebra,
// and the functions that look ops up, but not lowering.

export { failedCheckCode } from "./assertions.ts";
export { atenOnDemand, FREQUENT_OPS } from "./aten/on-demand.ts";
export { inPlaceProblem, requireFits } from "./lower/in-place-problem.ts";
export { isNative } from "./lower/is-native.ts";
export { loadCode, loading, NotLoaded, onDemand } from "./not-loaded.ts";
export { builtInRegistry } from "./op-registry.ts";
export { requireArguments } from "./require-arguments.ts";
