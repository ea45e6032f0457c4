import { describe, expect, it } from "vitest";
import { DTYPES, type DType } from "./dtype.ts";
import { rowMajor } from "./tensor-data.ts";
import { checkView, contiguousStrides, isContiguous, reachOf, type View } from "./view.ts";

const view = (shape: number[], strides: number[], storageOffset = 0): View => ({
  dtype: "uint8",
  shape,
  strides,
  storageOffset,
});

describe("checkView", () => {
  it.each<[string, View, number]>([
    ["a contiguous tensor", view([2, 3], [3, 1]), 6],
    ["a transposed one", view([3, 2], [1, 3]), 6],
    ["an offset", view([2], [1], 4), 6],
    ["an expanded one", view([1000, 6], [0, 1]), 6],
    ["an empty one anywhere", view([0, 5], [99, 99], 1000), 0],
    ["a scalar", view([], []), 1],
  ])("checkView accepts %s", (_, good, nbytes) => {
    expect(() => checkView(good, nbytes, "t")).not.toThrow();
  });

  it.each<[string, string, View, number]>([
    ["format.view", "one element too many", view([2, 3], [3, 1]), 5],
    ["format.view", "a negative stride", view([2], [-1], 1), 6],
    ["format.view", "a negative offset", view([2], [1], -1), 6],
    ["format.view", "a negative size", view([-2], [1]), 6],
    ["format.view", "more sizes than strides", view([2, 2], [1]), 6],
    ["format.view", "a fraction", view([1.5], [1]), 6],
    ["format.view", "sums beyond exact numbers", view([2, 2], [2 ** 53 - 1, 2 ** 53 - 1]), 6],
    ["format.view", "no bytes at all", view([1], [1]), 0],
    ["format.limit", "a huge shape", view([2 ** 30, 2 ** 30], [0, 0]), 6],
    ["format.limit", "an expansion of half a gigabyte", view([2 ** 29], [0]), 6],
    ["format.limit", "a hundred dimensions", view(new Array(100).fill(1), new Array(100).fill(1)), 6],
  ])("checkView rejects with %s: %s", (code, _, bad, nbytes) => {
    expect(() => checkView(bad, nbytes, "t")).toThrow(expect.objectContaining({ code }));
  });

  it("checkView allows absent bytes with mayBeAbsent", () => {
    expect(() => checkView(view([100], [1]), 0, "t", true)).not.toThrow();
  });
});

describe("strides of a view", () => {
  it("strides of a view are contiguous whatever the stride of a dimension of size 1 is", () => {
    expect(contiguousStrides([2, 3, 4])).toEqual([12, 4, 1]);
    expect(isContiguous(view([2, 1, 3], [3, 77, 1]))).toBe(true);
    expect(isContiguous(view([2, 3], [1, 2]))).toBe(false);
    expect(isContiguous(view([0, 3], [7, 7]))).toBe(true);
  });

  it.each<[View, number[]]>([
    [view([2, 3], [3, 1]), [0, 1, 2, 3, 4, 5]],
    [view([3, 2], [1, 3]), [0, 3, 1, 4, 2, 5]],
    [view([2, 2], [0, 2], 1), [1, 3, 1, 3]],
    [view([2, 2], [3, 1], 1), [1, 2, 4, 5]],
    [view([], [], 5), [5]],
  ])("strides of a view are followed in row-major order: %j", (tensor, expected) => {
    expect([...rowMajor(Uint8Array.of(0, 1, 2, 3, 4, 5), tensor)]).toEqual(expected);
  });

  it.each<[DType, number]>([
    ["float16", 0],
    ["float16", 1],
    ["int64", 8],
    ["int64", 4],
    ["complex128", 8],
    ["complex128", 3],
  ])("strides of a view are followed for %s elements at byte %i", (dtype, byteOffset) => {
    const { itemsize } = DTYPES[dtype];
    const bytes = Uint8Array.from(
      { length: 6 * itemsize },
      (_, index) => Math.floor(index / itemsize) * 16 + (index % itemsize),
    );
    const memory = new Uint8Array(byteOffset + bytes.length);
    memory.set(bytes, byteOffset);
    const columns = rowMajor(memory.subarray(byteOffset), { ...view([3, 2], [1, 3]), dtype });
    const item = (index: number): number[] => [...bytes.subarray(index * itemsize, (index + 1) * itemsize)];
    expect([...columns]).toEqual([0, 3, 1, 4, 2, 5].flatMap(item));
  });
});

describe("reachOf", () => {
  const at = (shape: readonly number[], strides: readonly number[], offset: number) =>
    reachOf({ shape, strides, offset });

  it("is the first and the last element that a view touches", () => {
    expect(at([2, 3], [3, 1], 4)).toEqual({ first: 4, last: 9 });
    expect(at([2, 3], [10, -2], 5)).toEqual({ first: 1, last: 15 });
    expect(at([4, 2], [0, 1], 0)).toEqual({ first: 0, last: 1 });
    expect(at([], [], 7)).toEqual({ first: 7, last: 7 });
  });
});
