/** A buffer's size and the steps between which it must not be overwritten, both inclusive. */
export interface Lifetime {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

/** Where each buffer lies in one block of memory. */
export interface ArenaPlan {
  /** Byte offset of each buffer, in the order given. */
  readonly offsets: readonly number[];
  /** Size of the whole block. */
  readonly bytes: number;
}

/** Buffers start at cache lines, so that no two share one and SIMD loads are aligned. */
const ALIGNMENT = 64;

/**
 * Packs buffers with lifetimes into one block: largest first, each into the lowest gap that is free during its whole
 * life ("greedy by size", arXiv:2001.03288, algorithm 2). Quadratic in the number of buffers, which is small.
 */
export function planArena(lifetimes: readonly Lifetime[]): ArenaPlan {
  const order = lifetimes.map((_, i) => i).sort((a, b) => lifetimes[b]!.bytes - lifetimes[a]!.bytes || a - b);
  const offsets: number[] = new Array(lifetimes.length).fill(0);
  const placed: { start: number; end: number; life: Lifetime }[] = [];
  let total = 0;
  for (const i of order) {
    const life = lifetimes[i]!;
    const size = Math.ceil(life.bytes / ALIGNMENT) * ALIGNMENT;
    let start = 0;
    for (const other of placed) {
      if (other.life.last < life.first || life.last < other.life.first) continue;
      if (start + size <= other.start) break;
      start = Math.max(start, other.end);
    }
    offsets[i] = start;
    total = Math.max(total, start + size);
    const at = placed.findIndex((other) => other.start > start);
    placed.splice(at < 0 ? placed.length : at, 0, { start, end: start + size, life });
  }
  return { offsets, bytes: total };
}
