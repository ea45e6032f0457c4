import { expect, test } from "vitest";
import { convolutionWindow, poolingWindow, spatial, withinReach } from "./windows.ts";

test("an odd rest of same padding goes to the end", () => {
  const args = { stride: [1], padding: "same", dilation: [1, 2], groups: 1 };
  expect(convolutionWindow({}, args, [4, 2])).toEqual({
    stride: [1, 1],
    padding: [1, 1],
    paddingEnd: [2, 1],
    dilation: [1, 2],
    transposed: false,
    outputPadding: [0, 0],
    groups: 1,
  });
});

test("a convolution may be transposed by its record or by an argument", () => {
  const args = { stride: [2], padding: [1], dilation: [1], output_padding: [1], groups: 3 };
  const expected = { transposed: true, outputPadding: [1, 1], padding: [1, 1], paddingEnd: [1, 1], groups: 3 };
  const given = { ...args, transposed: true };
  expect(convolutionWindow({ window: { rank: 2, transposed: true } }, args, [3, 3])).toMatchObject(expected);
  expect(convolutionWindow({}, given, [3, 3])).toMatchObject(expected);
  expect(convolutionWindow({}, args, [3, 3])).toMatchObject({ outputPadding: [0, 0] });
});

test("windows of a pooling without strides are adjacent", () => {
  const args = { kernel_size: [3, 2], stride: [], padding: [1], count_include_pad: true };
  expect(poolingWindow({ rank: 2 }, args)).toEqual({
    kernel: [3, 2],
    stride: [3, 2],
    padding: [1, 1],
    dilation: [1, 1],
    countsPadding: true,
  });
});

test("fewer than three dimensions are filled up in front", () => {
  expect(spatial([5, 7], 1)).toEqual([1, 5, 7]);
});

test("steps are limited to the length of what they move over", () => {
  const window = { stride: [2, 2 ** 53], dilation: [2 ** 31, 1], padding: [1, 0], groups: 1 };
  expect(withinReach(window, [5, 7])).toEqual({ stride: [2, 7], dilation: [7, 1], padding: [1, 0], groups: 1 });
  expect(withinReach(window, [0, 0]).stride).toEqual([2, 1]);
});
