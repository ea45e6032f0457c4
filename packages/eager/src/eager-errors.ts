import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const EAGER_ERRORS = {
  "eager.backend-version": "the backend implements another version of the contract",
  "eager.options": "an option does not exist or has an impossible value",
  "eager.unknown-op": "an op was called that no op set has",
  "eager.arguments": "the arguments of a call fit no overload of the op",
  "eager.mutation": "an op was called that writes to its arguments",
  "eager.traced": "a forward rule needs elements, which are not there when a program is planned",
  "eager.disposed": "a tensor or the ops were used after they had been disposed",
} as const;

/** A code of {@link EAGER_ERRORS}. */
export type EagerErrorCode = keyof typeof EAGER_ERRORS;

/** Creates an error with a code of the table. */
export function eagerError(code: EagerErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
