import { expect, it } from "vitest";
import { exactJson } from "./exact-json.ts";

it("values that differ have different texts, and equal ones the same", () => {
  const values = [
    0,
    -0,
    1,
    1n,
    "1",
    "1n",
    "-0",
    Number.NaN,
    "NaN",
    Infinity,
    -Infinity,
    null,
    "null",
    true,
    [0],
    [-0],
    { x: 0 },
  ];
  expect(new Set(values.map((value) => exactJson(value))).size).toBe(values.length);
  expect(exactJson({ x: [1n, -0] })).toBe(exactJson({ x: [1n, -0] }));
});
