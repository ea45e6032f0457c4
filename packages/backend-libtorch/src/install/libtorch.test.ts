import { expect, it } from "vitest";
import { compareVersions } from "./libtorch.ts";

it.each<[string, string, number]>([
  ["2.6", "2.13", -1],
  ["2.13.0", "2.13", 0],
  ["2.13.1+cpu", "2.13.0+cu130", 1],
  ["2.13.0+cpu", "2.13.0", 0],
  ["2.10.0", "2.9.1", 1],
])("%s against %s", (a, b, sign) => {
  expect(Math.sign(compareVersions(a, b))).toBe(sign);
});
