import { expect, test } from "vitest";
import { type Lifetime, planArena } from "./plan-arena.ts";

/** A deterministic sequence of integers below a bound (mulberry32). */
function integers(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % bound;
  };
}

test("buffers that live at the same time do not overlap, and the block is never larger than their sum", () => {
  const below = integers(3);
  for (let round = 0; round < 50; round++) {
    const lives: Lifetime[] = Array.from({ length: 40 }, () => {
      const first = below(30);
      return { bytes: below(5000), first, last: first + below(8) };
    });
    const { offsets, bytes } = planArena(lives);
    for (const [i, a] of lives.entries()) {
      expect(offsets[i]! % 64).toBe(0);
      expect(offsets[i]! + a.bytes).toBeLessThanOrEqual(bytes);
      for (const [j, b] of lives.entries()) {
        const together = i !== j && a.first <= b.last && b.first <= a.last;
        if (together && a.bytes > 0 && b.bytes > 0) {
          expect(offsets[i]! + a.bytes <= offsets[j]! || offsets[j]! + b.bytes <= offsets[i]!).toBe(true);
        }
      }
    }
    expect(bytes).toBeLessThanOrEqual(lives.reduce((sum, life) => sum + Math.ceil(life.bytes / 64) * 64, 0));
  }
});

test("a chain of equal buffers needs two of them", () => {
  const chain = Array.from({ length: 10 }, (_, i) => ({ bytes: 640, first: i, last: i + 1 }));
  expect(planArena(chain).bytes).toBe(1280);
});
