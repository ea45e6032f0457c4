import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const WASM_ERRORS = {
  "wasm.disposed": "the model or the backend was disposed before the call",
  "wasm.divide-by-zero": "an integer was divided by zero",
  "wasm.dtype": "the backend does not hold tensors of a dtype",
  "wasm.elementwise-dtype": "no code is generated for elementwise ops of a dtype",
  "wasm.integer-overflow": "the quotient of two integers does not fit their dtype",
  "wasm.out-of-memory": "WebAssembly memory cannot grow any further",
  "wasm.truncated": "the file became shorter while it was read",
  "wasm.worker-failed": "the worker could not be started, or has stopped",
} as const;

/** A code of {@link WASM_ERRORS}. */
export type WasmErrorCode = keyof typeof WASM_ERRORS;

/** Makes an error whose code is in the table. */
export function wasmError(code: WasmErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
