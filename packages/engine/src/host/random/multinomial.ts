import { backendError, type CpuGenerator } from "@pt2/backend";
import type { DType } from "@pt2/format";
import type { HostArray } from "../host-array.ts";

/** Draws `count` columns of each row, with odds that need not add up to 1. A column may be drawn again. */
export function sampleWithReplacement(
  random: CpuGenerator,
  { data, shape }: HostArray,
  dtype: DType,
  count: number,
): Float64Array {
  const categories = shape.at(-1)!;
  const rows = data.length / categories;
  const samples = new Float64Array(rows * count);
  const sums = dtype === "float64" ? new Float64Array(categories) : new Float32Array(categories);
  for (let row = 0; row < rows; row++) {
    addUp(data.subarray(row * categories, (row + 1) * categories), sums);
    for (let i = 0; i < count; i++) samples[row * count + i] = firstFrom(sums, random.uniform());
  }
  return samples;
}

/** Puts the parts of the whole up to each column into an array, which rounds them; the last is 1. */
function addUp(odds: Float64Array, sums: Float32Array | Float64Array): void {
  let sum = 0;
  for (let i = 0; i < odds.length; i++) {
    const each = odds[i]!;
    if (!(each >= 0 && each < Number.POSITIVE_INFINITY)) {
      throw refused("probability tensor contains either `inf`, `nan` or element < 0");
    }
    sums[i] = sum + each;
    sum = sums[i]!;
  }
  if (!(sum > 0)) throw refused("invalid multinomial distribution (sum of probabilities <= 0)");
  for (let i = 0; i < sums.length; i++) sums[i]! /= sum;
  sums[sums.length - 1] = 1;
}

/** Returns the first place whose sum is at least `draw`. */
function firstFrom(sums: Float32Array | Float64Array, draw: number): number {
  let [left, right] = [0, sums.length];
  while (left < right) {
    const middle = (left + right) >> 1;
    if (sums[middle]! < draw) left = middle + 1;
    else right = middle;
  }
  return left;
}

function refused(what: string): Error {
  return backendError("backend.data", {
    what,
    advice: "Check the values that the program computes this from.",
  });
}
