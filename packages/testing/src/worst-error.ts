/** What an error is measured in: `atol + rtol · |expected|`. */
export interface ErrorUnit {
  readonly rtol: number;
  readonly atol: number;
}

/** Relative to numbers above one, absolute below. */
export const RELATIVE: ErrorUnit = { rtol: 1, atol: 1 };

/** The difference itself. */
export const ABSOLUTE: ErrorUnit = { rtol: 0, atol: 1 };

/** The largest error of any element, in the given unit. Infinite when the lengths differ, or one element is NaN and the other is not. */
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
