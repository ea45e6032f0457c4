export { flatten, flattenValue, type TreeOptions } from "./flatten.ts";
export { inputNames, leafNames } from "./leaf-names.ts";
export { countLeaves, type Key, type NamedTuples, type Structure, structureOf } from "./pytree-structure.ts";
export { unflatten } from "./unflatten.ts";
