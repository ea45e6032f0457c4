/** A source of random numbers. */
export interface Generator {
  /** The next number in [0, 1), with 53 random bits. */
  uniform(): number;
}

/** sfc32 (Chris Doty-Humphrey): 128 bits of state, passes PractRand; the same seed gives the same numbers everywhere. */
export function createGenerator(seed: number): Generator {
  let [a, b, c, counter] = [0, seed | 0, 0, 1];
  const next = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  // The first numbers depend on the seed too regularly, so they are not used.
  for (let i = 0; i < 12; i++) next();
  return { uniform: () => ((next() >>> 5) * 2 ** 26 + (next() >>> 6)) / 2 ** 53 };
}
