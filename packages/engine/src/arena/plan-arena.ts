import { LifetimeIndex } from "./lifetime-index.ts";

/** A buffer's size and the steps between which it must not be overwritten, both inclusive. */
export interface Lifetime {
  readonly bytes: number;
  readonly first: number;
  readonly last: number;
}

/** Where each buffer lies in one block of memory. */
export interface ArenaPlan {
  /** The byte offset of each buffer, in the order given. */
  readonly offsets: readonly number[];
  /** The size of the whole block. */
  readonly bytes: number;
}

/** Buffers start at cache lines, so that no two share one and SIMD loads are aligned. */
const ALIGNMENT = 64;

/** Returns where a buffer ends that starts at an address, and where another may start. */
function endOf(start: number, bytes: number): number {
  return start + Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/**
 * Packs buffers with lifetimes into one block: largest first, each into the lowest gap that is free during its whole
 * life ("greedy by size", arXiv:2001.03288, algorithm 2).
 */
export function planArena(lifetimes: readonly Lifetime[]): ArenaPlan {
  const order = lifetimes.map((_, i) => i).sort((a, b) => lifetimes[b]!.bytes - lifetimes[a]!.bytes || a - b);
  const offsets: number[] = new Array(lifetimes.length).fill(0);
  const placed = new LifetimeIndex(lifetimes.map(({ first }) => first));
  let total = 0;
  for (const i of order) {
    const { bytes, first, last } = lifetimes[i]!;
    const size = endOf(0, bytes);
    const start = placed.lowestGap(size, first, last);
    offsets[i] = start;
    total = Math.max(total, start + size);
    placed.add(start, start + size, first, last);
  }
  return { offsets, bytes: total };
}
