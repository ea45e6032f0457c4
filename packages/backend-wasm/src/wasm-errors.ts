import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const WASM_ERRORS = {
  "wasm.buffer-write": "a program writes to one of its buffers what does not fit there",
  "wasm.control-flow": "the operands of a control flow op do not fit its graphs",
  "wasm.data": "values that an op was given make no sense for it",
  "wasm.disposed": "the model or the backend was disposed before the call",
  "wasm.divide-by-zero": "an integer was divided by zero",
  "wasm.dtype": "the backend does not hold tensors of a dtype",
  "wasm.elementwise-dtype": "no code is generated for elementwise ops of a dtype",
  "wasm.endless-loop": "a loop did not end within any sensible number of iterations",
  "wasm.foreign-tensor": "a tensor is on another backend's device",
  "wasm.graph-inputs": "a nested graph got another number of inputs than it has",
  "wasm.index-out-of-range": "an index that the program computed is outside its tensor",
  "wasm.input": "an input's bytes do not fit the program, or its own shape",
  "wasm.integer-overflow": "the quotient of two integers does not fit their dtype",
  "wasm.internal": "a step failed in a way that it should not; the cause is kept",
  "wasm.limit": "a computation is larger than anything that this backend can hold or address",
  "wasm.missing-weight": "the archive has no bytes for a weight that the program needs",
  "wasm.out-of-memory": "WebAssembly memory cannot grow any further",
  "wasm.truncated": "the file became shorter while it was read",
  "wasm.unsupported-op": "an op has no kernel, found while running",
  "wasm.unsupported-ops": "ops of the program cannot run; all are listed",
  "wasm.view-bounds": "a view reaches outside the memory of its tensor",
  "wasm.weight-mismatch": "a weight of the archive is not what the program declares",
  "wasm.worker-failed": "the worker could not be started, or has stopped",
} as const;

/** A code of {@link WASM_ERRORS}. */
export type WasmErrorCode = keyof typeof WASM_ERRORS;

/** Makes an error whose code is in the table. */
export function wasmError(code: WasmErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
