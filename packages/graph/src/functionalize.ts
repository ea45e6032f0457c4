// What makes programs functional that write in place, cast automatically or batch calls. Few do and it is large, so it is
// an entry point of its own, to be loaded for them.
export { aliasBuffers } from "./passes/alias-buffers.ts";
export { expandAutocast } from "./passes/autocast/expand-autocast.ts";
export { expandVmap } from "./passes/expand-vmap.ts";
export { functionalize } from "./passes/functionalize/functionalize.ts";
