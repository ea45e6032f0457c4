import { expect, test } from "vitest";
import { contiguous, reachOf, requireInside } from "./view.ts";

test("what a view reaches", () => {
  expect(reachOf(contiguous([2, 3], 4))).toEqual({ first: 4, last: 9 });
  expect(reachOf({ shape: [2, 3], strides: [10, -2], offset: 5 })).toEqual({ first: 1, last: 15 });
  expect(reachOf({ shape: [4, 2], strides: [0, 1], offset: 0 })).toEqual({ first: 0, last: 1 });
  expect(reachOf(contiguous([], 7))).toEqual({ first: 7, last: 7 });
});

test("a view without elements reaches nothing, wherever it is", () => {
  const empty = { shape: [2, 0], strides: [1, 1], offset: 40 };
  const { first, last } = reachOf(empty);
  expect(last).toBeLessThan(first);
  expect(() => requireInside(empty, 6, "aten::as_strided")).not.toThrow();
});

test.each([
  { shape: [2, 3], strides: [3, 1], offset: 1 },
  { shape: [2], strides: [-1], offset: 0 },
  { shape: [2], strides: [Number.NaN], offset: 0 },
])("%o leaves a tensor of six elements", (view) => {
  expect(() => requireInside(view, 6, "aten::as_strided")).toThrow("aten::as_strided: sizes");
});
