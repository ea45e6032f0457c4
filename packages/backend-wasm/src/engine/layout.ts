import { type Place, rowMajor, sameStrides } from "./place.ts";

/** Whether a tensor's elements fill one stretch of memory without gaps or overlaps, in any order of dimensions. */
export function isDense(shape: readonly number[], strides: readonly number[]): boolean {
  const dims = shape.map((size, i) => ({ size, stride: strides[i]! })).filter(({ size }) => size !== 1);
  dims.sort((a, b) => a.stride - b.stride);
  let expected = 1;
  for (const { size, stride } of dims) {
    if (stride !== expected) return false;
    expected *= size;
  }
  return true;
}

/**
 * Strides for the result of an elementwise loop: those of the first operand of the same shape that is dense, so that
 * channels-last stays channels-last; else row-major.
 */
export function resultStrides(shape: readonly number[], inputs: readonly Place[]): readonly number[] {
  const fits = (place: Place): boolean =>
    place.shape.length === shape.length &&
    place.shape.every((size, i) => size === shape[i]) &&
    isDense(shape, place.strides);
  const model = inputs.find((place) => place.buffer.constant === null && fits(place)) ?? inputs.find(fits);
  if (model === undefined) return rowMajor(shape);
  // Dimensions of size 1 may carry any stride; give them one that a dense tensor could have.
  const row = rowMajor(shape);
  return sameStrides(shape, model.strides, row) ? row : normalised(shape, model.strides);
}

/** Dense strides in the same order, with sensible values for dimensions of size 1. */
function normalised(shape: readonly number[], strides: readonly number[]): readonly number[] {
  const order = shape.map((_, i) => i).sort((a, b) => strides[b]! - strides[a]! || shape[b]! - shape[a]! || a - b);
  const result = new Array<number>(shape.length);
  let stride = 1;
  for (const dim of order.reverse()) {
    result[dim] = stride;
    stride *= shape[dim]!;
  }
  return result;
}

/** Strides of a tensor over a shape that it broadcasts to. */
export function broadcastStrides(
  { shape, strides }: Pick<Place, "shape" | "strides">,
  to: readonly number[],
): readonly number[] {
  const lead = to.length - shape.length;
  return to.map((_, d) => (d < lead || shape[d - lead] === 1 ? 0 : strides[d - lead]!));
}
