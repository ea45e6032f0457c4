import { DTYPES, type DType } from "@pt2/format";
import type { Place } from "./place.ts";

/** Whether elements are complex numbers: their real and imaginary parts side by side, as float32. */
export function isComplexDtype(dtype: DType): boolean {
  return DTYPES[dtype].kind === "complex";
}

/** A complex tensor as its parts, in a last dimension of two; any other tensor as it is. */
export function inParts(place: Place): Place {
  if (!isComplexDtype(place.dtype)) return place;
  const { shape, strides } = place;
  return { ...partOf(place, 0), shape: [...shape, 2], strides: [...strides.map((stride) => 2 * stride), 1] };
}

/** The real (0) or the imaginary (1) parts of a complex tensor. */
export function partOf(place: Place, part: 0 | 1): Place {
  const { strides, offset } = place;
  return { ...place, dtype: "float32", strides: strides.map((stride) => 2 * stride), offset: 2 * offset + part };
}
