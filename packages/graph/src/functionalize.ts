// An entry point of its own, because it is large: to be loaded for programs that write in place.
export { functionalize } from "./passes/functionalize/functionalize.ts";
export { tieBuffers } from "./passes/tie-buffers.ts";
