import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Lists every error code of this package with its meaning. */
export const CONFORMANCE_ERRORS = {
  "conformance.gradient": "`gradcheck` found derivatives of a loss that differ from its differences; all are listed",
  "conformance.options": "a function was given no program, or an option does not exist or has an impossible value",
  "conformance.op": "`checkOp` found faults in an op; all are listed",
} as const;

/** A code of {@link CONFORMANCE_ERRORS}. */
export type ConformanceErrorCode = keyof typeof CONFORMANCE_ERRORS;

/** Makes an error whose code is one of {@link CONFORMANCE_ERRORS}. */
export function conformanceError(code: ConformanceErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
