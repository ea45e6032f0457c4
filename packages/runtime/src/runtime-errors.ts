import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const RUNTIME_ERRORS = {
  "runtime.source": "the source is neither an address nor bytes",
  "runtime.options": "the options of a load or a run are missing, or one does not exist or has an impossible value",
  "runtime.backend-version": "the backend implements another version of the contract",
  "runtime.kernels": "an op set has kernels under a name similar to the backend's",
  "runtime.handlers": "the backend does not support handler functions",
  "runtime.no-weights": "the file declares weights without their bytes, or lacks them",
  "runtime.custom-ops": "the file's list of custom ops is damaged, or an op set has another schema than the list",
  "runtime.program-json": "the program of a load with separate weights is not JSON",
  "runtime.weights": "separate weights do not fit the program: one is missing, or has another dtype or shape",
  "runtime.call": "the arguments do not fit the parameters of the program",
  "runtime.input-missing": "an input is missing",
  "runtime.input-kind": "an input is of the wrong kind: a number for a tensor, a tensor for a number",
  "runtime.input-dtype": "an input has another dtype than the program expects",
  "runtime.input-constant": "an input that was fixed at export has another value",
  "runtime.tensor": "numbers cannot be elements of a tensor of that dtype",
  "runtime.node-entry": "a page imported an entry point that only works in Node",
  "runtime.disposed": "the model was disposed",
} as const;

/** A code of {@link RUNTIME_ERRORS}. */
export type RuntimeErrorCode = keyof typeof RUNTIME_ERRORS;

/** Creates an error with a code of the table. */
export function runtimeError(code: RuntimeErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
