import { expect, test } from "vitest";
import { napAfter } from "./naps.ts";

test("naps become longer, and end after a second without work", () => {
  expect([0, 1.9, 2, 249, 250, 999].map(napAfter)).toEqual([0.1, 0.1, 1, 1, 2, 2]);
  expect([1000, Number.POSITIVE_INFINITY].map(napAfter)).toEqual([undefined, undefined]);
});
