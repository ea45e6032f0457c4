import { expect, it } from "vitest";
import { elementTexts } from "./element-texts.ts";

it.each([
  [0.0366622, 0.25, "0.0366622", "0.250000"],
  [Math.fround(0.03666218), Math.fround(0.0366622), "0.03666218", "0.03666220"],
  [1, 1 + Number.EPSILON, "1", "1.0000000000000002"],
  [[0.1, 0.2], [0.1, 0.2000000001], "0.1000000000+0.2000000000j", "0.1000000000+0.2000000001j"],
  [3n, 4n, "3", "4"],
  [Number.NaN, 0.5, "NaN", "0.500000"],
] as const)("%s and %s have as many digits as tell them apart", (one, other, oneText, otherText) => {
  expect(elementTexts(one, other)).toEqual([oneText, otherText]);
});
