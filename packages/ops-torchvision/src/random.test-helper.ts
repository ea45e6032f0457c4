import { type HostTensor, tensor } from "@pt2/runtime/node";

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

/** What edges of odd regions are. */
const ODD_EDGES = [Number.NaN, Infinity, -Infinity, 3e38, -3e38, 1e30, 0.49999997, -0.49999997];

/**
 * Regions of any kind in maps of about 9 × 7 at a scale of a half: inside, across borders, with swapped corners, huge, or far
 * away. Of `odd` ones a third has no size, an edge that is NaN, infinite or beyond all numbers, or a picture that is a
 * fraction or not there.
 */
export function randomRegions(random: () => number, count: number, pictures: number, odd = false): HostTensor {
  const below = (n: number): number => Math.floor(random() * n);
  const place = (): number => {
    const far = below(12);
    if (far === 0) return random() * 2e6 - 1e6;
    return far < 4 ? below(24) - 4 : random() * 30 - 6;
  };
  const rows = Array.from({ length: count }, () => {
    const row = [below(pictures), place(), place(), place(), place()];
    if (!odd) return row;
    const kind = below(12);
    if (kind === 0) return [row[0]!, row[1]!, row[2]!, row[1]!, row[2]!];
    if (kind === 1) return row.with(1 + below(4), ODD_EDGES[below(ODD_EDGES.length)]!);
    if (kind === 2) return row.with(0, row[0]! + random() - (row[0] === 0 ? 0.99 * random() : 0));
    if (kind === 3) return row.with(0, [pictures, -1, 1e9, -1e9, Infinity, Number.NaN][below(6)]!);
    return row;
  });
  return tensor("float32", [count, 5], rows.flat());
}
