// What only some trainers need; all of it is loaded with the first.
export { inReal } from "./complex-parameters.ts";
export { parameterGroups } from "./parameter-groups.ts";
export * from "./refusals.ts";
export { presentWeights, withValues } from "./weights-by-name.ts";
