import { viewAs } from "@pt2/backend";
import { DTYPES, type DType, floatToBits, isSmallFloat } from "@pt2/format";
import { convert } from "@pt2/registry/scalar";
import { expect, test } from "vitest";
import { RandomState } from "../plan/random-state.ts";
import { histogram } from "./histogram.ts";
import { runHostKernel } from "./host-kernel.ts";

const { NaN: none, POSITIVE_INFINITY: infinity } = Number;

function counts(dtype: DType, values: readonly number[], bins: number, bounds: readonly [number, number]) {
  const bytes = new Uint8Array(values.length * DTYPES[dtype].itemsize);
  const bits = isSmallFloat(dtype) ? values.map((value) => floatToBits(dtype, value)) : values;
  viewAs(dtype, bytes).set(bits as unknown as ArrayLike<never>);
  const self = { dtype, shape: [values.length] };
  const [result] = runHostKernel(histogram, {
    args: { self, bins, min: bounds[0], max: bounds[1] },
    tensor: () => ({ ...self, bytes }),
    results: [{ dtype: "float64", shape: [bins] }],
    random: new RandomState(),
  });
  return [...new Float64Array(result!.bytes.slice().buffer)];
}

test.each(["float64", "float32", "float16", "bfloat16"] as const)(
  "%s are counted in the bin that their dtype rounds to",
  (dtype) => {
    const round = (x: number): number => convert(dtype, x) as number;
    const values = Array.from({ length: 997 }, (_, i) => round(Math.sin(i) * 3.1));
    for (const bins of [1, 7, 100]) {
      const wanted = new Array<number>(bins).fill(0);
      for (const value of values) {
        if (value < -3 || value > 3) continue;
        wanted[Math.min(bins - 1, Math.floor(round(round(round(value + 3) * bins) / 6)))]!++;
      }
      expect(counts(dtype, values, bins, [-3, 3])).toEqual(wanted);
    }
  },
);

test("integers that halves do not tell apart are counted as what they are", () => {
  expect(counts("int32", [4096, 4097, 4098, 4099, 4096], 3, [4096, 4099])).toEqual([2, 1, 2]);
});

test("both bounds belong to bins, and what is outside or NaN does not count", () => {
  expect(counts("float32", [0, 1, 2, 4, -1, 5, none, infinity, -infinity], 4, [0, 4])).toEqual([1, 1, 1, 1]);
});

test("equal bounds mean the extremes of the data, or one to both sides of equal ones", () => {
  expect(counts("float32", [3, 1, 2, 5], 4, [0, 0])).toEqual([1, 1, 1, 1]);
  expect(counts("float32", [3, 3], 2, [0, 0])).toEqual([0, 2]);
  expect(counts("float32", [], 2, [0, 0])).toEqual([0, 0]);
});
