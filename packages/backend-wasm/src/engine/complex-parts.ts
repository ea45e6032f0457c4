import type { DType } from "@pt2/format";
import type { Place } from "./place.ts";

/** Whether elements are complex numbers. */
export function isComplexDtype(dtype: DType): boolean {
  return dtype === "complex64" || dtype === "complex128";
}

/** A complex tensor as its parts in turn: element i has them at twice its offset, and behind that. */
export function complexParts(place: Place): Place {
  return { ...place, dtype: place.dtype === "complex128" ? "float64" : "float32", offset: 2 * place.offset };
}
