import { forEachOffset } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import { expect, test } from "vitest";
import { Heap } from "./heap.ts";
import { readView } from "./host-copy.ts";

const heap = new Heap({ reserved: 1 << 20 });
const address = 65_536;
heap.u8.forEach((_, i, bytes) => {
  bytes[i] = (i * 31 + (i >> 8) * 7) & 255;
});

const LAYOUTS: readonly (readonly [string, readonly number[], readonly number[]])[] = [
  ["a scalar", [], []],
  ["rows one after the other", [3, 5], [5, 1]],
  ["columns", [5, 3], [1, 5]],
  ["channels last", [2, 3, 7, 5], [105, 1, 15, 3]],
  ["gaps", [4, 3], [13, 3]],
  ["one element for all", [4, 3], [0, 0]],
  ["dimensions of one, whose strides mean nothing", [1, 4, 1, 3], [99, 1, 77, 4]],
  ["no elements", [3, 0, 2], [1, 5, 7]],
  ["runs that are copied at once", [3, 2, 70], [70, 500, 1]],
  ["columns that span much", [2, 5, 19], [5, 1, 2047]],
  ["columns that span much, backwards", [3, 17], [-1, 2048]],
  ["few columns of many rows", [2, 1500, 3], [4500, 1, 1501]],
  ["few columns of many rows, which lie apart", [1100, 2], [3, 4001]],
  ["columns of one element", [19, 4], [1, 0]],
];

test.each(LAYOUTS)("%s: elements of every size leave the heap row by row", (_, shape, strides) => {
  for (const dtype of ["bool", "float16", "float32", "float64", "int64", "complex128"] as const satisfies DType[]) {
    const size = DTYPES[dtype].itemsize;
    const expected: number[] = [];
    forEachOffset({ shape, strides }, (offset) => {
      const from = address + (3 + offset) * size;
      expected.push(...heap.u8.subarray(from, from + size));
    });
    const view = { dtype, shape, strides, offset: 3, buffer: { handle: address, bytes: 1 << 20 } } as const;
    expect([...readView(heap, view as never)]).toEqual(expected);
  }
});
