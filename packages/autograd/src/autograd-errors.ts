import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const AUTOGRAD_ERRORS = {
  "autograd.options": "there is no program, or an option does not exist or has an impossible value",
  "autograd.of": "what is to be differentiated is not one floating point number that the program returns",
  "autograd.wrt": "a name is neither a parameter nor an input that a gradient can be taken of",
  "autograd.no-gradient": "an op between parameters and loss has no gradient rule",
  "autograd.unknown-op": "no op set has an op of the program, or the loss that is added",
  "autograd.rule": "a gradient rule failed, or returned something that is not the gradient of its argument",
  "autograd.sizes": "sizes are needed as numbers, and some depend on inputs or on data",
} as const;

/** A code of {@link AUTOGRAD_ERRORS}. */
export type AutogradErrorCode = keyof typeof AUTOGRAD_ERRORS;

/** Creates an error with a code of the table. */
export function autogradError(code: AutogradErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
