import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package's execution with its meaning. */
export const LIBTORCH_ERRORS = {
  "libtorch.aborted": "a run was canceled between two nodes",
  "libtorch.aoti": "an AOTInductor package cannot be opened or run",
  "libtorch.argument":
    "an argument of an op is not of the kind that its schema declares, or the schema has no such argument",
  "libtorch.arithmetic": "a size or number that the program computes does not exist: a division by zero, an overflow",
  "libtorch.async-handler": "a run on the calling thread needs an asynchronous handler",
  "libtorch.buffer-write": "a program writes to one of its buffers what does not fit there",
  "libtorch.busy": "a run on the calling thread would overtake runs under way",
  "libtorch.capture": "a program does something that a captured run cannot repeat",
  "libtorch.control": "the operands of a control flow op do not fit its graphs",
  "libtorch.device": "the device does not exist here",
  "libtorch.device-lost": "a GPU has failed, and computes nothing more in this process",
  "libtorch.disposed": "the model, the backend or a tensor was disposed before the call",
  "libtorch.encode": "an argument of the program has no meaning for libtorch",
  "libtorch.file": "a file of weights cannot be mapped",
  "libtorch.finished": "a run was continued after its end",
  "libtorch.foreign-tensor": "a tensor is on another backend's device",
  "libtorch.input": "an input does not fit the program, or its own shape",
  "libtorch.internal": "the native module failed in a way that it should not; the cause is kept",
  "libtorch.library": "a shared library of ops cannot be loaded",
  "libtorch.missing-weight": "the archive has no bytes for a weight that the program needs",
  "libtorch.no-op": "the dispatcher does not have an op, or not for the device",
  "libtorch.op-failed": "PyTorch refused a call of an op",
  "libtorch.out-of-memory": "libtorch cannot allocate a tensor",
  "libtorch.plan": "the description of a program is malformed",
  "libtorch.refused-op": "an op is not run for programs, because of what it could do",
  "libtorch.result": "an op returned a value that JavaScript cannot represent",
  "libtorch.schema": "the checks of an op's arguments do not know the schema that this PyTorch has for it",
  "libtorch.weight-mismatch": "a weight of the archive is not what the program declares",
} as const;

/** A code of {@link LIBTORCH_ERRORS}. */
export type LibtorchErrorCode = keyof typeof LIBTORCH_ERRORS;

/** Makes an error whose code is in the table. */
export function libtorchError(code: LibtorchErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
