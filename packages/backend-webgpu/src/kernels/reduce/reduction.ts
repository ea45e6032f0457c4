import type { BinaryFn } from "@pt2/registry/scalar";

/** What a reduction does. */
export interface Reduction {
  readonly fn: BinaryFn;
  /** What a reduction of nothing is, of floats and of integers. */
  readonly start: readonly [float: number, int: number];
  /** Elements are converted to the result's dtype first (`sum` of bools counts). */
  readonly converts: boolean;
  /** Divides by the number of elements at the end. */
  readonly averages?: boolean;
  /** Whether complex numbers can be reduced so. */
  readonly complex: boolean;
}
