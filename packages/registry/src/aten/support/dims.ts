import { normalDim } from "@pt2/format";
import { broadcastShapes } from "../../broadcast.ts";
import { checkLimit } from "../../limits.ts";
import { check, show } from "./check.ts";

export { numel, sameShape } from "@pt2/format";

/** Converts a dimension to one that is counted from the front; a 0-d tensor counts as 1-d, as in PyTorch. */
export function wrapDim(dim: number, rank: number): number {
  const span = Math.max(rank, 1);
  check(
    Number.isInteger(dim) && dim >= -span && dim < span,
    () => `Dimension out of range (expected to be in range of [${-span}, ${span - 1}], but got ${dim})`,
  );
  return normalDim(dim, rank);
}

/** The values that a `dim` argument of a reduction may have; none, or an empty list, means every dimension. */
export type DimList = number | readonly number[] | null | undefined;

/** Returns the dimensions to reduce, wrapped and ascending. */
export function reducedDims(dim: DimList, rank: number): readonly number[] {
  const list = dim === null || dim === undefined ? [] : typeof dim === "number" ? [dim] : dim;
  const all = Array.from({ length: rank }, (_, i) => i);
  if (list.length === 0) return all;
  const wrapped = list.map((d) => wrapDim(d, rank));
  wrapped.forEach((d, i) => {
    check(wrapped.indexOf(d) === i, () => `dim ${d} appears multiple times in the list of dims`);
  });
  return all.filter((d) => wrapped.includes(d));
}

/** Returns the shape after reducing `dims` (as returned by {@link reducedDims}). */
export function reducedShape(shape: readonly number[], dims: readonly number[], keepdim: boolean): readonly number[] {
  if (keepdim) return shape.map((size, d) => (dims.includes(d) ? 1 : size));
  return shape.filter((_, d) => !dims.includes(d));
}

/** Returns the shape that operands broadcast to. */
export function broadcast(...shapes: readonly (readonly number[])[]): readonly number[] {
  return broadcastShapes(shapes);
}

/** Expands an argument such as PyTorch's `int[2] padding=0` to one value per spatial dimension. */
export function perDim(value: number | readonly number[], count: number, name: string): readonly number[] {
  check(count >= 0, () => `${name}: the operands have too few dimensions`);
  const list = typeof value === "number" ? [value] : value;
  if (list.length === 1) return new Array<number>(count).fill(list[0]!);
  check(list.length === count, () => `${name} must be a single int or ${count} ints, but got ${show(list)}`);
  return list;
}

/**
 * Returns `0, 1, …, count - 1`, for rules that visit each index. A file may contain any size, so `count` must be
 * bounded before.
 */
export function range(count: number): readonly number[] {
  checkLimit("listItems", count, "a rule that treats each index of a dimension");
  return Array.from({ length: count }, (_, i) => i);
}
