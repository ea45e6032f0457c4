// Exports the passes that functionalize programs, and expand automatic casts and batched calls. Few programs need them
// and they are large, so they have an entry point of their own, which can be loaded on demand.
export { assertGuards } from "./import/assert-guards.ts";
export { aliasBuffers } from "./passes/alias-buffers.ts";
export { expandAutocast } from "./passes/autocast/expand-autocast.ts";
export { drawInMemoryOrder, type TensorLayout } from "./passes/draw-in-memory-order.ts";
export { expandRegions } from "./passes/expand-regions.ts";
export { expandVmap } from "./passes/expand-vmap.ts";
export type { OpSchemas } from "./passes/functionalize/expand-out-dtype.ts";
export { fitMutations } from "./passes/functionalize/fit-mutations.ts";
export { functionalize } from "./passes/functionalize/functionalize.ts";
export { replaceInPlaceViews } from "./passes/functionalize/replace-in-place-views.ts";
export { nameDefaultDtypes } from "./passes/name-default-dtypes.ts";
