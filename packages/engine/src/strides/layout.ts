import { contiguousStrides } from "@pt2/format";
import type { Strided } from "@pt2/registry";

/** The shape and strides of a tensor; strides count elements. */
export type Layout = Pick<Strided, "shape" | "strides">;

/** Returns the strides of a dense tensor whose second dimension moves fastest (`channels_last`, of any rank ≥ 3). */
export function channelsLast(shape: readonly number[]): readonly number[] {
  const [n, c, ...space] = shape;
  const inner = contiguousStrides([n!, ...space, c!]);
  return [inner[0]!, inner.at(-1)!, ...inner.slice(1, -1)];
}

/** Whether two strides address the same elements for a shape: strides of dimensions of size 1 do not matter. */
export function sameStrides(shape: readonly number[], a: readonly number[], b: readonly number[]): boolean {
  return shape.some((size) => size === 0) || shape.every((size, i) => size === 1 || a[i] === b[i]);
}

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
 * Returns strides for the result of an elementwise loop: those of the first dense operand of the same shape, so that
 * channels-last stays channels-last; else row-major ones. Operands that are `preferred` come before others.
 */
export function resultStrides<Operand extends Layout>(
  shape: readonly number[],
  inputs: readonly Operand[],
  preferred: (input: Operand) => boolean,
): readonly number[] {
  const fits = (input: Operand): boolean =>
    input.shape.length === shape.length &&
    input.shape.every((size, i) => size === shape[i]) &&
    isDense(shape, input.strides);
  const model = inputs.find((input) => preferred(input) && fits(input)) ?? inputs.find(fits);
  if (model === undefined) return contiguousStrides(shape);
  // Dimensions of size 1 may carry any stride, so they get one that a dense tensor could have.
  const row = contiguousStrides(shape);
  return sameStrides(shape, model.strides, row) ? row : normalized(shape, model.strides);
}

/** Returns dense strides in the same order, with the strides of a dense tensor for dimensions of size 1. */
function normalized(shape: readonly number[], strides: readonly number[]): readonly number[] {
  const order = shape.map((_, i) => i).sort((a, b) => strides[b]! - strides[a]! || shape[b]! - shape[a]! || a - b);
  const result = new Array<number>(shape.length);
  let stride = 1;
  for (const dim of order.reverse()) {
    result[dim] = stride;
    stride *= shape[dim]!;
  }
  return result;
}

/** Returns the strides of a tensor over a shape that it broadcasts to. */
export function broadcastStrides({ shape, strides }: Layout, to: readonly number[]): readonly number[] {
  const lead = to.length - shape.length;
  return to.map((_, d) => (d < lead || shape[d - lead] === 1 ? 0 : strides[d - lead]!));
}
