import { DTYPES, type DType } from "@pt2/format";
import type { Place } from "./place.ts";

/** Dtypes of complex numbers, which are their parts side by side, and of those. */
const PARTS: { readonly [D in DType]?: DType } = { complex64: "float32", complex128: "float64" };

/** Whether elements are complex numbers. */
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
  const { dtype, strides, offset } = place;
  return { ...place, dtype: PARTS[dtype]!, strides: strides.map((stride) => 2 * stride), offset: 2 * offset + part };
}

/** The dtype of the parts of complex numbers. */
export function partDtype(dtype: DType): DType {
  return PARTS[dtype]!;
}

/** Whether numbers of one dtype are the parts of those of the other. */
export function areParts(a: DType, b: DType): boolean {
  return PARTS[a] === b || PARTS[b] === a;
}
