import { DedicatedBuffer } from "@pt2/engine";
import { expect, test } from "vitest";
import { partsOf } from "./binding.ts";

const adapter = {
  limits: { maxStorageBufferBindingSize: 1024, minStorageBufferOffsetAlignment: 256 } as GPUSupportedLimits,
  f16: false,
};

function rows(shape: readonly number[], strides: readonly number[], elements: number) {
  const buffer = new DedicatedBuffer({} as GPUBuffer, 4 * elements);
  return partsOf({ dtype: "float32", shape, strides, offset: 0, buffer }, 0, adapter).map(
    ({ view, start }) => [start, view.shape[0]] as const,
  );
}

test("a tensor is divided into parts that can be bound, which begin at multiples of four rows", () => {
  expect(rows([23, 15], [15, 1], 345)).toEqual([
    [0, 12],
    [12, 11],
  ]);
  expect(rows([10, 15], [15, 1], 150)).toEqual([[0, 10]]);
});

test("rows that are too large to be bound one by one are parts all the same, which are refused when they are bound", () => {
  expect(rows([2, 1000], [1000, 1], 2000)).toEqual([
    [0, 1],
    [1, 1],
  ]);
  expect(rows([4, 1000], [0, 1], 1000)).toEqual([[0, 4]]);
});
