import { expect, test } from "vitest";
import { plansOf } from "./fourier-plans.ts";

test("the latest plans are kept, but not those of long transforms", () => {
  const made: number[] = [];
  const plan = plansOf((size) => made.push(size));
  for (const size of [1, 2, 3, 4, 5, 6, 7, 8, 1, 9, 1, 2]) plan(size);
  expect(made).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 2]);
  plan(1e6);
  plan(1e6);
  expect(made.slice(-2)).toEqual([1e6, 1e6]);
});
