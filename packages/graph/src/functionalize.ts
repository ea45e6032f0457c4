// A separate entry point because it is large: it is loaded for programs that write in place.
export { functionalize } from "./passes/functionalize/functionalize.ts";
export { tieBuffers } from "./passes/tie-buffers.ts";
