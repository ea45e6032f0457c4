import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import { LIMITS } from "../limits.ts";

/** Refuses a result that is too large, before it is made: its size comes from data. */
export function requireRoom(op: string, bytes: number): void {
  if (bytes <= LIMITS.resultBytes) return;
  throw backendError("backend.limit", {
    what: `${op}: the result would take ${bytes} bytes, the limit is ${LIMITS.resultBytes}`,
    advice: "Check the values that the program computes this from.",
    details: { bytes, allowed: LIMITS.resultBytes },
  });
}

/** Data that an op cannot work with. */
export function dynamicError(what: string): Pt2Error {
  return backendError("backend.data", { what, advice: "Check the values that the program computes this from." });
}
