// What takes ops, kernels and handlers that users bring: what their functions give is theirs to answer for.

export { createRegistry } from "./own-ops/create-registry.ts";
export type { HandledCall, HandlerAnswer } from "./own-ops/handler-results.ts";
export { answersOf, requireAsRecorded, requireDepth, requireFunction } from "./own-ops/results.ts";
export { similar } from "./own-ops/similar.ts";
export { effectsOfHandled } from "./own-ops/user-effects.ts";
