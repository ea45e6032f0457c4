import { contiguousStrides } from "@pt2/format";

/**
 * Where the slice begins that is opposite to each slice of a row-major tensor along the last of `dims`: at -k in the others of
 * these, counted in elements.
 */
export function mirroredStarts(shape: readonly number[], dims: readonly number[]): Int32Array {
  const strides = contiguousStrides(shape);
  let starts = [0];
  for (const [d, size] of shape.entries()) {
    if (d === dims.at(-1)) continue;
    const places = Array.from({ length: size }, (_, i) => (dims.includes(d) ? (size - i) % size : i) * strides[d]!);
    starts = starts.flatMap((start) => places.map((place) => start + place));
  }
  return Int32Array.from(starts);
}
