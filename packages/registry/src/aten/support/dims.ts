import { numel } from "@pt2/format";
import { broadcastShapes } from "../../broadcast.ts";
import { checkLimit } from "../../limits.ts";
import { check, show } from "./check.ts";

/** Dimension counted from the front; a 0-d tensor has one virtual dimension, as in PyTorch. */
export function wrapDim(dim: number, rank: number): number {
  const span = Math.max(rank, 1);
  check(
    Number.isInteger(dim) && dim >= -span && dim < span,
    () => `Dimension out of range (expected to be in range of [${-span}, ${span - 1}], but got ${dim})`,
  );
  return dim < 0 ? dim + span : dim;
}

/** What a `dim` argument of a reduction may be; none, or an empty list, means every dimension. */
export type DimList = number | readonly number[] | null | undefined;

/** Dimensions to reduce, wrapped and ascending. */
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

/** Shape after reducing `dims` (as {@link reducedDims} gives them). */
export function reducedShape(shape: readonly number[], dims: readonly number[], keepdim: boolean): readonly number[] {
  if (keepdim) return shape.map((size, d) => (dims.includes(d) ? 1 : size));
  return shape.filter((_, d) => !dims.includes(d));
}

/** Number of elements. */
export { numel };

/** Whether two shapes are equal. */
export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, i) => size === b[i]);
}

/** Common shape of operands that broadcast together. */
export function broadcast(...shapes: readonly (readonly number[])[]): readonly number[] {
  return broadcastShapes(shapes);
}

/** One value per spatial dimension from PyTorch's `int[2] padding=0`: a number, one value, or all of them. */
export function perDim(value: number | readonly number[], count: number, name: string): readonly number[] {
  check(count >= 0, () => `${name}: the operands have too few dimensions`);
  const list = typeof value === "number" ? [value] : value;
  if (list.length === 1) return new Array<number>(count).fill(list[0]!);
  check(list.length === count, () => `${name} must be a single int or ${count} ints, but got ${show(list)}`);
  return list;
}

/** `0, 1, …, count - 1`, for rules that look at each index: sizes may be hostile, so not for any count. */
export function range(count: number): readonly number[] {
  checkLimit("listItems", count, "a rule that treats each index of a dimension");
  return Array.from({ length: count }, (_, i) => i);
}
