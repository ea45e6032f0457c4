import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const WASM_ERRORS = {
  "wasm.disposed": "the model or the backend was disposed before the call",
  "wasm.divide-by-zero": "an integer was divided by zero",
  "wasm.dtype": "the backend does not hold tensors of a dtype",
  "wasm.elementwise-dtype": "no code is generated for elementwise ops of a dtype",
  "wasm.engine-not-loaded": "the code that computes on the calling thread could not be loaded",
  "wasm.integer-overflow": "the quotient of two integers does not fit their dtype",
  "wasm.kernel-module": "the WebAssembly module that a kernel brings is refused",
  "wasm.node-entry": "a page imported an entry point that only works in Node",
  "wasm.out-of-memory": "WebAssembly memory cannot grow any further",
  "wasm.thread-ended": "a thread that computes parts of a model has ended, or does not answer",
  "wasm.threads": "the number of threads is not one that can be started",
  "wasm.truncated": "the file became shorter while it was read",
  "wasm.unavailable": "WebAssembly is switched off, or not allowed to compile code",
  "wasm.worker-failed": "the worker could not be started, or has stopped",
} as const;

/** A code of {@link WASM_ERRORS}. */
export type WasmErrorCode = keyof typeof WASM_ERRORS;

/** Makes an error whose code is in the table. */
export function wasmError(code: WasmErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}

/** Makes the error of a call that comes after its model was disposed. */
export function modelDisposed(): Pt2Error {
  return wasmError("wasm.disposed", {
    what: "The model was disposed",
    advice: "Load it again, or dispose it later.",
  });
}

/** Makes the error of a call that comes after the backend was disposed. */
export function backendDisposed(): Pt2Error {
  return wasmError("wasm.disposed", {
    what: "The wasm backend was disposed",
    advice: "Make a new one with wasm().",
  });
}

/** Makes the error of a load whose page cannot load the engine. */
export function engineNotLoaded(cause: unknown): Pt2Error {
  return wasmError("wasm.engine-not-loaded", {
    what: `The engine could not be loaded: ${cause instanceof Error ? cause.message : cause}`,
    advice: "Check that the application's files are reachable and of one version, and load again.",
    cause,
  });
}

/** Makes the error of a load where WebAssembly cannot be used. */
export function unavailable(what: string, cause?: unknown): Pt2Error {
  return wasmError("wasm.unavailable", {
    what,
    advice:
      "In Node leave out --jitless; a page needs script-src 'wasm-unsafe-eval' in its Content-Security-Policy, and a browser with WebAssembly SIMD.",
    cause,
  });
}
