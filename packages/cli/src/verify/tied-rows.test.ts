import { tensor } from "@pt2/runtime";
import { expect, test } from "vitest";
import { tiedRows } from "./tied-rows.ts";
import { defaultTolerance } from "./tolerance.ts";

const floats = (shape: readonly number[], ...values: readonly number[]) => tensor("float32", shape, values);
const integers = (...values: readonly bigint[]) => tensor("int64", [values.length], values);
const scores = floats([4], 9, 5, 5, 1);
const same = { name: "scores", expected: scores, actual: scores };
const find = (...pairs: Parameters<typeof tiedRows>[0]) => Object.fromEntries(tiedRows(pairs, defaultTolerance));

test("indices of ties may be in another order, others may not", () => {
  const expected = integers(3n, 0n, 2n, 1n);
  const indices = (...values: readonly bigint[]) => ({ name: "indices", expected, actual: integers(...values) });
  expect(find(same, indices(3n, 2n, 0n, 1n))).toEqual({ indices: "scores" });
  expect(find(same, indices(0n, 3n, 2n, 1n))).toEqual({});
  expect(find(same, indices(3n, 2n, 2n, 1n))).toEqual({});
  expect(find(same, indices(3n, 0n, 2n, 1n))).toEqual({});
});

test("values are ties where each is within the tolerance of the one before it", () => {
  const close = floats([4], 9, 5.004, 5, 4.99);
  const expected = integers(0n, 1n, 2n, 3n);
  const pair = { name: "scores", expected: close, actual: floats([4], 9, 5, 5.004, 4.99) };
  expect(find(pair, { name: "at", expected, actual: integers(0n, 2n, 1n, 3n) })).toEqual({ at: "scores" });
  expect(find(pair, { name: "at", expected, actual: integers(0n, 1n, 3n, 2n) })).toEqual({});
});

test("rows of several outputs move together", () => {
  const boxes = floats([4, 2], 1, 1, 2, 2, 3, 3, 4, 4);
  const moved = { name: "boxes", expected: boxes, actual: floats([4, 2], 1, 1, 3, 3, 2, 2, 4, 4) };
  const labels = integers(1n, 6n, 7n, 1n);
  const movedLabels = { name: "labels", expected: labels, actual: integers(1n, 7n, 6n, 1n) };
  expect(find(moved, movedLabels, same)).toEqual({ boxes: "scores", labels: "scores" });
  expect(find(moved, { ...movedLabels, actual: labels }, same)).toEqual({});
});

test("what is not sorted, not as expected or not there explains nothing", () => {
  const expected = integers(0n, 1n, 2n, 3n);
  const indices = { name: "indices", expected, actual: integers(0n, 2n, 1n, 3n) };
  const unsorted = floats([4], 1, 5, 5, 2);
  expect(find({ name: "scores", expected: unsorted, actual: unsorted }, indices)).toEqual({});
  expect(find({ ...same, actual: floats([4], 9, 5, 4, 1) }, indices)).toEqual({});
  expect(find(indices)).toEqual({});
});

test("slices are compared one by one", () => {
  const values = floats([2, 3], 5, 5, 1, 1, 2, 2);
  const expected = tensor("int64", [2, 3], [0n, 1n, 2n, 0n, 1n, 2n]);
  const actual = (...order: readonly bigint[]) => tensor("int64", [2, 3], order);
  const pair = { name: "values", expected: values, actual: values };
  expect(find(pair, { name: "at", expected, actual: actual(1n, 0n, 2n, 0n, 2n, 1n) })).toEqual({ at: "values" });
  expect(find(pair, { name: "at", expected, actual: actual(1n, 0n, 2n, 1n, 0n, 2n) })).toEqual({});
});

test("labels that are all alike explain no other order of scores", () => {
  const labels = integers(3n, 3n, 3n, 3n);
  const alike = { name: "labels", expected: labels, actual: labels };
  const backwards = { name: "scores", expected: scores, actual: floats([4], 1, 5, 5, 9) };
  const boxes = floats([4, 2], 1, 1, 2, 2, 3, 3, 4, 4);
  const turned = { name: "boxes", expected: boxes, actual: floats([4, 2], 4, 4, 3, 3, 2, 2, 1, 1) };
  expect(find(turned, backwards, alike)).toEqual({});
  expect(find(turned, same, alike)).toEqual({});
  const moved = { name: "boxes", expected: boxes, actual: floats([4, 2], 1, 1, 3, 3, 2, 2, 4, 4) };
  expect(find(moved, same, alike)).toEqual({ boxes: "scores" });
  const ones = floats([4], 1, 1, 1, 1);
  expect(find(turned, backwards, { name: "weights", expected: ones, actual: ones })).toEqual({});
});
