import { randomBelow } from "@pt2/testing/random";
import { expect, test, vi } from "vitest";
import { type Lifetime, planArena } from "./plan-arena.ts";

test("buffers with overlapping lifetimes do not overlap in memory, and the block is never larger than their sum", () => {
  const below = randomBelow(3);
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

/** Packs the same buffers by looking at every buffer that was placed. */
function slowly(lives: readonly Lifetime[]): readonly number[] {
  const order = lives.map((_, i) => i).sort((a, b) => lives[b]!.bytes - lives[a]!.bytes || a - b);
  const placed: { start: number; end: number; life: Lifetime }[] = [];
  const offsets: number[] = [];
  for (const i of order) {
    const life = lives[i]!;
    const size = Math.ceil(life.bytes / 64) * 64;
    let start = 0;
    for (const other of placed) {
      if (other.life.last < life.first || life.last < other.life.first) continue;
      if (start + size <= other.start) break;
      start = Math.max(start, other.end);
    }
    offsets[i] = start;
    placed.push({ start, end: start + size, life });
    placed.sort((a, b) => a.start - b.start);
  }
  return offsets;
}

test.each([
  ["short lives", 300, 6],
  ["more lives than a block has", 3, 3],
  ["lives of any length", 60, 60],
  ["one life for all", 1, 1],
  ["a step for each", 4000, 2],
])("%s are packed as by a search of all buffers", (_, steps, longest) => {
  const below = randomBelow(steps);
  const lives: Lifetime[] = Array.from({ length: 400 }, () => {
    const first = below(steps);
    const last = below(50) === 0 ? Number.MAX_SAFE_INTEGER : first + below(longest);
    return { bytes: below(6) === 0 ? 0 : below(9) * 400, first, last };
  });
  expect(planArena(lives).offsets).toEqual(slowly(lives));
});

/** Counts how often elements of an `Int32Array` are read; placed buffers keep their lifetimes in such arrays. */
function readsDuring(work: () => void): number {
  let reads = 0;
  const counted = (array: Int32Array): Int32Array =>
    new Proxy(array, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value === "number" && key !== "length") reads++;
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  const construct = (type: typeof Int32Array, args: unknown[]): Int32Array => counted(Reflect.construct(type, args));
  vi.stubGlobal("Int32Array", new Proxy(Int32Array, { construct }));
  try {
    work();
  } finally {
    vi.unstubAllGlobals();
  }
  return reads;
}

test("each of 20,000 buffers is compared with few others", () => {
  const below = randomBelow(9);
  const lives: Lifetime[] = Array.from({ length: 20_000 }, (_, i) => {
    return { bytes: 64 + below(100_000), first: i, last: i + (below(100) === 0 ? below(20_000) : below(8)) };
  });
  const reads = readsDuring(() => planArena(lives));
  expect(reads).toBeGreaterThan(0);
  // A look at every pair would make more than ten thousand.
  expect(reads / lives.length).toBeLessThan(500);
});

test.each([
  ["all that are there from the beginning, each until its turn", (i: number) => [0, i]],
  ["all that stay until the end", (i: number) => [i, 20_000]],
  ["nested lives", (i: number) => [i, 40_000 - i]],
  ["inputs, and what is computed of them one after the other", (i: number) => (i % 2 === 0 ? [0, i] : [i, i + 2])],
])("each of 20,000 buffers, %s, is compared with few others", (_, lifeOf) => {
  const lives: Lifetime[] = Array.from({ length: 20_000 }, (_, i) => {
    const [first, last] = lifeOf(i) as [number, number];
    return { bytes: 64 + (i % 3) * 128, first, last };
  });
  const reads = readsDuring(() => planArena(lives));
  expect(reads).toBeGreaterThan(0);
  // A look at every pair would make more than ten thousand.
  expect(reads / lives.length).toBeLessThan(500);
});
