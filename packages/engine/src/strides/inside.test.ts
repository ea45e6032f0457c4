import { expect, test } from "vitest";
import { checkInside } from "./inside.ts";

const view = { shape: [2, 3], strides: [3, 1], offset: 4 };

test("a view may end where its buffer ends, but not after it", () => {
  expect(() => checkInside(view, 10)).not.toThrow();
  expect(() => checkInside(view, 9)).toThrow(
    expect.objectContaining({ code: "backend.view-bounds", what: expect.stringContaining("4 to 9 of a buffer of 9") }),
  );
});

test("a view must not begin before its buffer, and an empty view may be anywhere", () => {
  expect(() => checkInside({ shape: [2], strides: [-1], offset: 0 }, 10)).toThrow("elements -1 to 0");
  expect(() => checkInside({ shape: [0], strides: [1], offset: 11 }, 10)).not.toThrow();
});
