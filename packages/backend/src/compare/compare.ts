import { type DType, numel } from "@pt2/format";
import { requireArgument } from "@pt2/format/options";
import type { TypedArray } from "@pt2/registry";
import { type Element, elementsOf, elementText, indexOf } from "./elements.ts";

/** A tolerance: an element may differ by `atol + rtol × |expected|`. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/** A tensor in host memory that can be compared with another one. */
export interface Comparable {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly data: TypedArray;
}

/** The element that differs most from its expected value. */
export interface WorstElement {
  readonly index: readonly number[];
  readonly expected: Element;
  readonly actual: Element;
}

/** The result of comparing two tensors. */
export interface Comparison {
  readonly ok: boolean;
  /** Why the tensors cannot be compared at all, if that is so. */
  readonly problem?: string;
  /** The largest error divided by the allowed error; at most 1 if the tensors agree. */
  readonly ratio: number;
  /** The largest absolute error. */
  readonly maxAbs: number;
  /** The number of elements outside the tolerance. */
  readonly bad: number;
  readonly count: number;
  readonly worst: WorstElement | null;
}

/**
 * Compares two tensors element by element. Dtype and shape must be equal; NaN equals NaN, and an infinity equals
 * itself.
 */
export function compareTensors(expected: Comparable, actual: Comparable, tolerance: Tolerance): Comparison {
  for (const [name, tensor] of Object.entries({ expected, actual })) {
    requireArgument("compareTensors()", name, tensor, "{ dtype, shape, data }", "backend.options");
  }
  const count = numel(expected.shape);
  if (expected.dtype !== actual.dtype || String(expected.shape) !== String(actual.shape)) {
    return mismatch(`${typeText(actual)} instead of ${typeText(expected)}`, count);
  }
  const [wanted, got] = [elementsOf(expected.dtype, expected.data), elementsOf(actual.dtype, actual.data)];
  let [ratio, maxAbs, bad, worst, worstError] = [0, 0, 0, -1, -1];
  for (let i = 0; i < count; i++) {
    const [want, have] = [wanted(i), got(i)];
    if (want === have) continue;
    const error = distance(want, have);
    if (error === 0) continue;
    const relative = error / (tolerance.atol + tolerance.rtol * magnitude(want));
    maxAbs = Math.max(maxAbs, error);
    if (!(relative <= 1)) bad++;
    // Without a tolerance every ratio is infinite.
    if (relative > ratio || (relative === ratio && error > worstError))
      [ratio, worst, worstError] = [relative, i, error];
  }
  const place =
    worst < 0 ? null : { index: indexOf(worst, expected.shape), expected: wanted(worst), actual: got(worst) };
  return { ok: bad === 0, ratio, maxAbs, bad, count, worst: place };
}

/** Returns a comparison that failed before any element was compared. */
export function mismatch(problem: string, count = 0): Comparison {
  const infinite = Number.POSITIVE_INFINITY;
  return { ok: false, problem, ratio: infinite, maxAbs: infinite, bad: count, count, worst: null };
}

/** Formats the dtype and the shape: `float32 [2, 3]`. */
export function typeText({ dtype, shape }: Pick<Comparable, "dtype" | "shape">): string {
  return `${dtype} [${shape.join(", ")}]`;
}

/** Describes the difference in words; returns null if there is none. */
export function differenceText({ ok, problem, bad, count, worst }: Comparison): string | null {
  if (ok) return null;
  if (problem !== undefined || worst === null) return `is ${problem}`;
  const [got, want] = [elementText(worst.actual), elementText(worst.expected)];
  return `${bad} of ${count} elements are wrong, the worst at [${worst.index.join(", ")}]: ${got}, expected ${want}`;
}

/**
 * Returns the distance of two elements. It is never NaN: if the difference is not a number, it is infinite, or 0 for
 * equal elements.
 */
function distance(a: Element, b: Element): number {
  if (typeof a === "bigint" || typeof b === "bigint") {
    const difference = BigInt(a as bigint) - BigInt(b as bigint);
    return Number(difference < 0n ? -difference : difference);
  }
  if (typeof a === "object" && typeof b === "object") return Math.hypot(gap(a[0], b[0]), gap(a[1], b[1]));
  return gap(a as number, b as number);
}

function gap(a: number, b: number): number {
  if (a === b || (Number.isNaN(a) && Number.isNaN(b))) return 0;
  const error = Math.abs(a - b);
  return Number.isNaN(error) ? Number.POSITIVE_INFINITY : error;
}

function magnitude(element: Element): number {
  // An infinite expected value would excuse any error.
  const size = typeof element === "object" ? Math.hypot(...element) : Math.abs(Number(element));
  return Number.isFinite(size) ? size : 0;
}
