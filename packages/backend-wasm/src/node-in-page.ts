import { wasmError } from "./wasm-errors.ts";

/** What a page gets in place of `wasm` of `@pt2/backend-wasm/node`: it throws, and says what a page imports instead. */
export function wasm(): never {
  throw wasmError("wasm.node-entry", {
    what: "@pt2/backend-wasm/node starts a thread of Node; this is a page",
    advice: "Import wasm of @pt2/backend-wasm.",
  });
}
