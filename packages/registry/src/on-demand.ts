// What loads when it is first asked for: a page that runs an image classifier does not download linear algebra. With it
// what looks ops up, and nothing that lowers them.

export { failedCheckCode } from "./assertions.ts";
export { atenOnDemand } from "./aten/on-demand.ts";
export { writtenProblem } from "./lower/written.ts";
export { loading, NotLoaded, onDemand } from "./not-loaded.ts";
export { builtInRegistry } from "./op-registry.ts";
export { requireArguments } from "./require-arguments.ts";
