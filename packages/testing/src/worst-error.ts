/** The unit of an error: `atol + rtol · |expected|`. */
export interface ErrorUnit {
  readonly rtol: number;
  readonly atol: number;
}

/** Errors relative to numbers above one, absolute below. */
export const RELATIVE: ErrorUnit = { rtol: 1, atol: 1 };

/** Absolute errors. */
export const ABSOLUTE: ErrorUnit = { rtol: 0, atol: 1 };

/**
 * Returns the largest error of any element, in the given unit. It is infinite when the lengths differ, or one element
 * is NaN and the other is not.
 */
export function worstError(
  actual: ArrayLike<number | bigint>,
  expected: ArrayLike<number | bigint>,
  { rtol, atol }: ErrorUnit,
): number {
  if (actual.length !== expected.length) return Number.POSITIVE_INFINITY;
  let worst = 0;
  for (let i = 0; i < expected.length; i++) {
    const [got, want] = [Number(actual[i]), Number(expected[i])];
    if (Object.is(got, want) || got === want) continue;
    const error = Math.abs(got - want) / (atol + rtol * Math.abs(want));
    worst = Math.max(worst, Number.isNaN(error) ? Number.POSITIVE_INFINITY : error);
  }
  return worst;
}
