/** Makes a function that gives numbers from 0 to below 1, the same ones for the same seed (Marsaglia's xorshift). */
export function randomNumbers(seed: number): () => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}
