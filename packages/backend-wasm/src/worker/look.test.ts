import { expect, test } from "vitest";
import { Looks } from "./look.ts";

test("after looks in vain a thread looks less and less often, until something comes", () => {
  const looks = new Looks();
  const untilDue = (): number => {
    for (let rests = 0; ; rests++) if (looks.isDue()) return rests;
  };
  const rests: number[] = [];
  for (let i = 0; i < 9; i++) {
    looks.until(() => false);
    rests.push(untilDue());
  }
  expect(rests).toEqual([1, 2, 4, 8, 16, 32, 64, 64, 64]);
  expect(looks.until(() => true)).toBeGreaterThanOrEqual(0);
  expect(untilDue()).toBe(0);
  looks.until(() => false);
  expect(untilDue()).toBe(1);
});
