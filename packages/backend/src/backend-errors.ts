import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Lists every error code of this package with its meaning. */
export const BACKEND_ERRORS = {
  "backend.buffer-write": "a program writes a tensor of another dtype or shape to one of its buffers",
  "backend.control-flow": "the operands of a control flow op do not fit its graphs",
  "backend.data": "an op refuses the values of its arguments",
  "backend.device-tensor": "elements were read of a tensor that is on a device",
  "backend.endless-loop": "a loop exceeded the limit of iterations",
  "backend.foreign-tensor": "a tensor is on another backend's device",
  "backend.graph-inputs": "a nested graph was called with the wrong number of inputs",
  "backend.index-out-of-range": "an index that the program computed is outside its tensor",
  "backend.input": "an input does not match the program, or its bytes do not match its shape",
  "backend.kernel":
    "a kernel of an op set fails, or does not compute all results of its op with their dtypes and shapes",
  "backend.internal": "a step failed unexpectedly; the cause is kept",
  "backend.limit": "a computation on host data exceeds a documented limit",
  "backend.missing-weight": "the archive has no bytes for a weight that the program needs",
  "backend.options": "an option does not exist or has an impossible value, or the options are not an object",
  "backend.seed": "a seed of random numbers is not an integer from -2^63 to 2^64 - 1",
  "backend.tensor-memory": "the memory of a tensor was transferred to another thread, or made smaller",
  "backend.tensor-data": "an array does not have the elements that its tensor needs",
  "backend.tensor-shape": "a tensor does not have the shape that is asked for",
  "backend.unsupported-op": "an op has no kernel, which was found only while running",
  "backend.view-bounds": "a view reaches outside the memory of its tensor",
  "backend.weight-mismatch": "a weight of the archive does not match the program's declaration of it",
  "runtime.unsupported-ops": "the backend cannot run some ops of the program; all are listed",
} as const;

/** A code of {@link BACKEND_ERRORS}. */
export type BackendErrorCode = keyof typeof BACKEND_ERRORS;

/** Makes an error whose code is one of {@link BACKEND_ERRORS}. */
export function backendError(code: BackendErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
