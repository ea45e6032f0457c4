/** A deterministic source of integers in `[0, bound)`. */
export type RandomBelow = (bound: number) => number;

/** A deterministic source of numbers in `[0, 1)`. */
export type RandomUnit = () => number;

/**
 * Returns the same sequence for the same seed, on every machine (mulberry32), so that a test's numbers can be
 * reproduced.
 */
export function randomUnit(seed: number): RandomUnit {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns the same sequence as integers below bounds that differ from call to call. */
export function randomBelow(seed: number): RandomBelow {
  const next = randomUnit(seed);
  return (bound) => Math.floor(next() * bound);
}

/** Returns numbers in `[-1, 1)` that float32 can represent. */
export function randomFloats(next: RandomUnit, length: number): Float32Array<ArrayBuffer> {
  return Float32Array.from({ length }, () => next() * 2 - 1);
}
