import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const BACKEND_ERRORS = {
  "backend.tensor-data": "an array does not hold the elements of the tensor that it was given for",
} as const;

/** A code of {@link BACKEND_ERRORS}. */
export type BackendErrorCode = keyof typeof BACKEND_ERRORS;

/** Makes an error whose code is in the table. */
export function backendError(code: BackendErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
