import type { Lifetime } from "@pt2/engine";
import { randomBelow } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { planSlots } from "./plan-slots.ts";

function meet(a: Lifetime, b: Lifetime): boolean {
  return a.first <= b.last && b.first <= a.last;
}

test.each([1, 2, 3, 4])(
  "no two tensors with overlapping lifetimes share a buffer, and each fits its own (%i)",
  (seed) => {
    const next = randomBelow(seed);
    const lives = Array.from({ length: 300 }, (): Lifetime => {
      const first = next(200);
      return { bytes: 4 * (1 + next(6)), first, last: first + next(12) };
    });
    const { slots, bytes } = planSlots(lives);
    for (const [i, life] of lives.entries()) {
      expect(bytes[slots[i]!]).toBeGreaterThanOrEqual(life.bytes);
      for (const [j, other] of lives.entries()) if (i < j && meet(life, other)) expect(slots[i]).not.toBe(slots[j]);
    }
    const most = Math.max(...lives.map((life) => lives.filter((other) => meet(life, other)).length));
    expect(bytes.length).toBeLessThan(2 * most);
  },
);

test("a chain of any length takes two buffers", () => {
  const chain = Array.from({ length: 100_000 }, (_, i): Lifetime => ({ bytes: 16, first: i, last: i + 1 }));
  expect(planSlots(chain).bytes).toEqual([16, 16]);
});

/** Shares slots in the same way by looking at every slot. */
function slowly(lives: readonly Lifetime[]): readonly number[] {
  const order = lives.map((_, i) => i).sort((a, b) => lives[b]!.bytes - lives[a]!.bytes || a - b);
  const users: Lifetime[][] = [];
  const slots: number[] = [];
  for (const i of order) {
    const life = lives[i]!;
    const free = users.findLastIndex((others) => !others.some((other) => meet(other, life)));
    slots[i] = free < 0 ? users.push([]) - 1 : free;
    users[slots[i]!]!.push(life);
  }
  return slots;
}

test.each([
  ["short lives", 300, 6],
  ["lives of any length", 60, 60],
  ["one life for all", 1, 1],
  ["a step for each", 4000, 2],
])("%s share slots as by a search of all slots", (_, steps, longest) => {
  const below = randomBelow(steps);
  const lives = Array.from({ length: 700 }, (): Lifetime => {
    const first = below(steps);
    const last = below(9) === 0 ? Number.MAX_SAFE_INTEGER : first + below(longest);
    return { bytes: 4 * (1 + below(9)), first, last };
  });
  expect(planSlots(lives).slots).toEqual(slowly(lives));
});

test.each([
  ["until the end", (i: number) => ({ first: i, last: 40_000 })],
  ["from the beginning", (i: number) => ({ first: 0, last: i })],
  ["with short ones between", (i: number) => ({ first: i, last: i % 2 === 0 ? 40_000 : i + 1 })],
])("each of 20,000 tensors, %s, is compared with few others", (_, lifeOf) => {
  let looks = 0;
  const lives = Array.from({ length: 20_000 }, (_, i): Lifetime => {
    const { first, last } = lifeOf(i);
    return {
      bytes: 16,
      get first() {
        looks++;
        return first;
      },
      last,
    };
  });
  planSlots(lives);
  // A look at all slots would make ten thousand and more.
  expect(looks / lives.length).toBeLessThan(500);
});
