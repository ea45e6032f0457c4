import type { Pt2Error } from "@pt2/format";
import { LIMITS } from "../engine/limits.ts";
import { wasmError } from "../wasm-errors.ts";

/** Refuses a result that is too large, before it is made: its size comes from data. */
export function requireRoom(op: string, bytes: number): void {
  if (bytes <= LIMITS.tensorBytes) return;
  throw wasmError("wasm.limit", {
    what: `${op}: the result would take ${bytes} bytes, the limit is ${LIMITS.tensorBytes}`,
    advice: "Check the values that the program computes this from.",
    details: { bytes, allowed: LIMITS.tensorBytes },
  });
}

/** Data that an op cannot work with. */
export function dynamicError(what: string): Pt2Error {
  return wasmError("wasm.data", { what, advice: "Check the values that the program computes this from." });
}
