/** Returns the middle one of some measurements, the upper of two. */
export function median(values: readonly number[]): number {
  return [...values].sort((p, q) => p - q)[values.length >> 1] ?? Number.NaN;
}
