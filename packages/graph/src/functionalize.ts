// A separate entry point because it is large: it is loaded for programs that write in place.

export { aliasBuffers } from "./passes/alias-buffers.ts";
export { functionalize } from "./passes/functionalize/functionalize.ts";
