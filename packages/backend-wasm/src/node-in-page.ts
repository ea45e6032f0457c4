import { wasmError } from "./wasm-errors.ts";

/**
 * Throws in a page, which gets it in place of `wasm` of `@pt2/backend-wasm/node`, and says what a page imports instead.
 */
export function wasm(): never {
  throw wasmError("wasm.node-entry", {
    what: "@pt2/backend-wasm/node starts a thread of Node, but this is a page",
    advice: "Import wasm from @pt2/backend-wasm.",
  });
}
