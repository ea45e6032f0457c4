/** Half of float32's step between 1 and 2: no operation rounds by more, relative to its result. */
const ROUNDING = 2 ** -24;

/**
 * What the sums of `terms` products of numbers like these, taken in two orders, may differ by. A product has variance
 * 1/9, so a sum on its way has a deviation of √terms / 3 at most; each addition rounds it, which adds ROUNDING / √3 of
 * that. Over all additions of both sides: √(2 terms) · ROUNDING / √3 · √terms / 3, and five times that for the worst of
 * some thousand results.
 */
export const sumError = (terms: number): number => 5 * (Math.sqrt(2 / 27) * terms * ROUNDING);
