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

/** Returns the strides of a dense tensor whose dimensions lie in the order of another layout, of the same rank. */
export function denseStrides(shape: readonly number[], like: Layout): readonly number[] {
  const byStride = (a: number, b: number): number => like.strides[b]! - like.strides[a]!;
  const order = shape.map((_, i) => i).sort((a, b) => byStride(a, b) || like.shape[b]! - like.shape[a]! || a - b);
  const result = new Array<number>(shape.length);
  let stride = 1;
  for (const dim of order.reverse()) {
    result[dim] = stride;
    stride *= Math.max(shape[dim]!, 1);
  }
  return result;
}

/** Returns the strides of a tensor over a shape that it broadcasts to. */
export function broadcastStrides({ shape, strides }: Layout, to: readonly number[]): readonly number[] {
  const lead = to.length - shape.length;
  return to.map((_, d) => (d < lead || shape[d - lead] === 1 ? 0 : strides[d - lead]!));
}
