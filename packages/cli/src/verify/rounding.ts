import { type Comparable, type Comparison, elementText, type Tolerance } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { byLargestElement, largestElement, sizeOf } from "./tolerance.ts";

/** The distance of 1 to the next larger number, `torch.finfo(dtype).eps`. */
const EPS: Readonly<Partial<Record<DType, number>>> = {
  float64: 2 ** -52,
  complex128: 2 ** -52,
  float32: 2 ** -23,
  complex64: 2 ** -23,
  float16: 2 ** -10,
  bfloat16: 2 ** -7,
};

/**
 * A tolerance at the worst element that no order of computation keeps: it is finer than the steps in which the dtype
 * holds the largest elements. Sums of such elements, as those of a matrix product, differ by several steps already if
 * they are added in another order.
 */
export interface Rounding {
  readonly dtype: DType;
  /** The largest magnitude of the expected elements. */
  readonly largest: number;
  /** The distance of neighboring numbers of the dtype there. */
  readonly step: number;
  /** The tolerance at the worst element. */
  readonly allowed: number;
}

/**
 * Returns what makes a difference look like rounding, or undefined if it does not: no error is more than the tolerance
 * of the largest element, but the tolerance at the worst one is less than a step there.
 */
export function roundingOf(expected: Comparable, tolerance: Tolerance, comparison: Comparison): Rounding | undefined {
  const { ok, worst, maxAbs } = comparison;
  const eps = EPS[expected.dtype];
  if (ok || worst === null || eps === undefined) return undefined;
  const largest = largestElement(expected);
  const step = eps * 2 ** Math.floor(Math.log2(largest));
  const allowed = tolerance.atol + tolerance.rtol * sizeOf(worst.expected);
  if (!(allowed < step) || maxAbs > byLargestElement(tolerance, expected).atol) return undefined;
  return { dtype: expected.dtype, largest, step, allowed };
}

/** Says why a difference looks like rounding, and what to do. */
export function roundingText({ dtype, largest, step, allowed }: Rounding): string {
  const [steps, less] = [step, allowed].map((value) => value.toExponential(1));
  return (
    `${dtype} has steps of ${steps} at the largest element, ${elementText(largest)}, and ${less} is the tolerance here: ` +
    "rounding may be all there is; see --per-node, and --atol"
  );
}
