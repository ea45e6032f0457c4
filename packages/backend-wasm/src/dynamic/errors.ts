import { Pt2Error } from "@pt2/format";

/** Data that an op cannot work with. */
export function dynamicError(what: string): Pt2Error {
  return new Pt2Error("wasm.data", { what, advice: "Check the values that the program computes this from." });
}
