/** A deterministic source of integers in `[0, bound)`. */
export type RandomBelow = (bound: number) => number;

/** The same sequence for the same seed, on every machine (mulberry32): what tests draw can be drawn again. */
export function randomBelow(seed: number): RandomBelow {
  let state = seed | 0;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  };
}
