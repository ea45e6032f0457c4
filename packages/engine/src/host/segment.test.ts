import { randomUnit } from "@pt2/testing/random";
import { expect, test } from "vitest";
import { RandomState } from "../plan/random-state.ts";
import { hostData } from "./host-array.ts";
import { runHostKernel } from "./host-kernel.ts";
import { segmentReduce } from "./segment.ts";

const { NaN: none, POSITIVE_INFINITY: infinity } = Number;

function reduced(
  reduce: string,
  shape: readonly number[],
  values: readonly number[],
  lengths: readonly number[],
  initial: number | null = null,
): readonly number[] {
  const data = { dtype: "float64" as const, shape };
  const counts = { dtype: "int64" as const, shape: [lengths.length] };
  const [result] = runHostKernel(segmentReduce, {
    args: { data, reduce, lengths: counts, indices: null, offsets: null, axis: 0, unsafe: false, initial },
    tensor: (argument) => (argument === counts ? hostData(counts, lengths) : hostData(data, values)),
    results: [{ dtype: "float64", shape: [lengths.length, ...shape.slice(1)] }],
    random: new RandomState(),
  });
  return [...new Float64Array(result!.bytes.slice().buffer)];
}

const COMBINE: Readonly<Record<string, (x: number, y: number) => number>> = {
  sum: (x, y) => x + y,
  mean: (x, y) => x + y,
  prod: (x, y) => x * y,
  max: (x, y) => Math.max(x, y),
  min: (x, y) => Math.min(x, y),
};

test.each(Object.keys(COMBINE))("each column of a segment is combined in its order by %s", (reduce) => {
  const unit = randomUnit(5);
  const odd = [none, infinity, -infinity, -0, 0];
  for (const width of [1, 2, 7, 13]) {
    const values = Array.from({ length: 23 * width }, () =>
      unit() < 0.05 ? odd[Math.floor(5 * unit())]! : 2 * unit() - 1,
    );
    const lengths = [5, 1, 0, 11, 6];
    const wanted: number[] = [];
    for (let s = 0, row = 0; s < lengths.length; row += lengths[s++]!) {
      for (let i = 0; i < width; i++) {
        const column = Array.from({ length: lengths[s]! }, (_, r) => values[(row + r) * width + i]!);
        const value = column.reduce(COMBINE[reduce]!, 0.5);
        wanted.push(reduce === "mean" && column.length > 0 ? value / column.length : value);
      }
    }
    expect(reduced(reduce, [23, width], values, lengths, 0.5)).toEqual(wanted);
  }
});

test("an empty segment is what its op begins with, and has no mean", () => {
  const of = (reduce: string): readonly number[] => reduced(reduce, [1, 2], [3, 4], [0, 1]);
  expect(of("sum")).toEqual([0, 0, 3, 4]);
  expect(of("mean")).toEqual([none, none, 3, 4]);
  expect(of("prod")).toEqual([1, 1, 3, 4]);
  expect(of("max")).toEqual([-infinity, -infinity, 3, 4]);
  expect(of("min")).toEqual([infinity, infinity, 3, 4]);
});

test("rows of no elements have no results", () => {
  expect(reduced("sum", [5, 0], [], [2, 3])).toEqual([]);
});
