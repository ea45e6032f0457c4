import { DTYPES, type DType } from "./dtype.ts";
import { formatError } from "./format-errors.ts";
import { checkLimit } from "./limits.ts";

/** A strided view of a storage, as a file declares it. */
export interface View {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly storageOffset: number;
}

/** Returns the number of elements of a shape. */
export function numel(shape: readonly number[]): number {
  return shape.reduce((product, size) => product * size, 1);
}

/** Returns whether two shapes are equal. */
export function sameShape(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((size, dim) => size === b[dim]);
}

/**
 * Returns a dimension that counts from the start for one that may be negative. A tensor without dimensions counts as
 * one with one, as in PyTorch; what is out of range stays so.
 */
export function normalDim(dim: number, rank: number): number {
  return dim < 0 ? dim + Math.max(rank, 1) : dim;
}

/** Strides of a tensor laid out row by row. */
export function contiguousStrides(shape: readonly number[]): readonly number[] {
  const strides = new Array<number>(shape.length);
  let stride = 1;
  for (let dim = shape.length - 1; dim >= 0; dim--) {
    strides[dim] = stride;
    stride *= Math.max(1, shape[dim]!);
  }
  return strides;
}

/** Whether elements lie row by row without gaps. Strides of dimensions of size 1 do not count. */
export function isContiguous({ shape, strides }: Pick<View, "shape" | "strides">): boolean {
  if (shape.includes(0)) return true;
  const expected = contiguousStrides(shape);
  return shape.every((size, dim) => size === 1 || strides[dim] === expected[dim]);
}

/** The first and the last element of a storage that a view contains. */
export interface Reach {
  readonly first: number;
  readonly last: number;
}

/** The geometry of a strided tensor over its storage; strides and offset count elements. */
export interface Strided {
  readonly shape: readonly number[];
  readonly strides: readonly number[];
  readonly offset: number;
}

/**
 * Returns the first and the last element of the storage that a view contains; for an empty view, the last is before the
 * first.
 */
export function reachOf({ shape, strides, offset }: Strided): Reach {
  if (shape.includes(0)) return { first: offset, last: offset - 1 };
  let [first, last] = [offset, offset];
  for (const [dim, size] of shape.entries()) {
    const reach = (size - 1) * strides[dim]!;
    if (reach < 0) first += reach;
    else last += reach;
  }
  return { first, last };
}

/** Returns the reach of a view that leaves a storage of `count` elements, or undefined if it stays inside. */
export function reachOutside(view: Strided, count: number): Reach | undefined {
  const reach = reachOf(view);
  const { first, last } = reach;
  return last < first || (first >= 0 && last < count) ? undefined : reach;
}

/**
 * Checks that a view stays inside a storage of `nbytes`, before any code reads it. `mayBeAbsent` allows a storage
 * without bytes, as in a program without weights.
 */
export function checkView(view: View, nbytes: number, where: string, mayBeAbsent = false): void {
  const { shape, strides, storageOffset, dtype } = view;
  checkLimit("dims", shape.length, where);
  const counts = [...shape, ...strides, storageOffset];
  if (shape.length !== strides.length || !counts.every((value) => Number.isSafeInteger(value) && value >= 0)) {
    fail(
      view,
      where,
      "sizes and strides must have one number per dimension, and all numbers must be integers that are not negative",
    );
  }
  const count = numel(shape);
  checkLimit("elements", count, where);
  if (count === 0) return;
  if (nbytes === 0 && mayBeAbsent) return;
  const { itemsize } = DTYPES[dtype];
  const room = Math.floor(nbytes / itemsize);
  const outside = reachOutside({ shape, strides, offset: storageOffset }, room);
  if (outside !== undefined) fail(view, where, `it reaches element ${outside.last} of a storage with ${room} elements`);
  if (count * itemsize > nbytes) checkLimit("expandedBytes", count * itemsize - nbytes, where);
}

function fail(view: View, where: string, what: string): never {
  throw formatError("format.view", {
    what: `the tensor does not fit its storage: ${what}`,
    where,
    advice: "the file is damaged or malicious",
    details: { ...view },
  });
}
