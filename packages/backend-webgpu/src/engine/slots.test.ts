import { randomBelow } from "@pt2/conformance";
import { expect, test } from "vitest";
import { planSlots, type SlotLifetime } from "./slots.ts";

function meet(a: SlotLifetime, b: SlotLifetime): boolean {
  return a.first <= b.last && b.first <= a.last;
}

test.each([1, 2, 3, 4])(
  "no two tensors that are needed at a time share a buffer, and each fits its own (%i)",
  (seed) => {
    const next = randomBelow(seed);
    const lives = Array.from({ length: 300 }, (): SlotLifetime => {
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
  const chain = Array.from({ length: 100_000 }, (_, i): SlotLifetime => ({ bytes: 16, first: i, last: i + 1 }));
  expect(planSlots(chain).bytes).toEqual([16, 16]);
});
