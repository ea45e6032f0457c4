import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Lists every error code of this package with its meaning. */
export const BACKEND_ERRORS = {
  "backend.buffer-write": "a program writes to one of its buffers what does not fit there",
  "backend.control-flow": "the operands of a control flow op do not fit its graphs",
  "backend.data": "values that an op was given make no sense for it",
  "backend.endless-loop": "a loop did not end within any sensible number of iterations",
  "backend.foreign-tensor": "a tensor is on another backend's device",
  "backend.graph-inputs": "a nested graph got another number of inputs than it has",
  "backend.index-out-of-range": "an index that the program computed is outside its tensor",
  "backend.input": "an input's bytes do not fit the program, or its own shape",
  "backend.kernel": "a kernel that an op set brings fails, or plans less than its op's results",
  "backend.internal": "a step failed in a way that it should not; the cause is kept",
  "backend.limit": "a computation on host data is larger than anything that a program needs",
  "backend.missing-weight": "the archive has no bytes for a weight that the program needs",
  "backend.tensor-data": "an array does not hold the elements of the tensor that it was given for",
  "backend.unsupported-op": "an op has no kernel, found while running",
  "backend.view-bounds": "a view reaches outside the memory of its tensor",
  "backend.weight-mismatch": "a weight of the archive is not what the program declares",
  "runtime.unsupported-ops": "the backend cannot run some ops of the program; all are listed",
} as const;

/** A code of {@link BACKEND_ERRORS}. */
export type BackendErrorCode = keyof typeof BACKEND_ERRORS;

/** Makes an error whose code is one of {@link BACKEND_ERRORS}. */
export function backendError(code: BackendErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
