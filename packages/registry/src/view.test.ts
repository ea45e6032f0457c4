import { reachOf } from "@pt2/format";
import { expect, test } from "vitest";
import { requireInside } from "./view.ts";

test("an empty view touches no elements, whatever its offset", () => {
  const empty = { shape: [2, 0], strides: [1, 1], offset: 40 };
  const { first, last } = reachOf(empty);
  expect(last).toBeLessThan(first);
  expect(() => requireInside(empty, 6, "aten::as_strided")).not.toThrow();
});

test.each([
  { shape: [2, 3], strides: [3, 1], offset: 1 },
  { shape: [2], strides: [-1], offset: 0 },
  { shape: [2], strides: [Number.NaN], offset: 0 },
])("the view %o is refused, because it leaves a tensor of six elements", (view) => {
  expect(() => requireInside(view, 6, "aten::as_strided")).toThrow("aten::as_strided: sizes");
});
