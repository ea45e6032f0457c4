/** A deterministic source of integers in `[0, bound)`. */
export type RandomBelow = (bound: number) => number;

/** The same sequence for the same seed, on every machine (mulberry32): what tests draw can be drawn again. */
export function randomBelow(seed: number): RandomBelow {
  const next = randomUnit(seed);
  return (bound) => Math.floor(next() * bound);
}

/** The same sequence of numbers in `[0, 1)`. */
export function randomUnit(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
