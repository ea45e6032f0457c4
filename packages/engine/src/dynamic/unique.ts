import { numel } from "@pt2/backend";
import { DTYPES, normalDim } from "@pt2/format";
import { sortRange } from "../order/sort.ts";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData, RunValue } from "../staged/run-value.ts";
import { int64Tensor, takeRows } from "./bytes.ts";
import { reader } from "./elements.ts";

/** Distinct elements: where each of them first is, which of them each element is, and how many are equal to it. */
interface Distinct {
  readonly firsts: readonly number[];
  readonly inverse: Int32Array;
  readonly counts: readonly number[];
}

/** `_unique` and `_unique2` of the elements of a tensor, ascending. */
export const unique: DynamicKernel = dynamicKernel(
  ["aten::_unique", "aten::_unique2"],
  ({ self, return_inverse, return_counts }) => {
    const keys = keysOf(self);
    const found = runs(
      sortedBy(keys.some(Number.isNaN) ? ranksOf(keys.length, elementOrder(self)) : keys),
      sameKey(keys),
    );
    return flatResults(self, found, return_inverse, return_counts === true);
  },
);

/** `unique_dim`: distinct slices of a dimension, in lexicographic order. */
export const uniqueDim: DynamicKernel = dynamicKernel(
  ["aten::unique_dim"],
  ({ self, dim, return_inverse, return_counts }) => {
    const slices = slicesOf(self, dim);
    const found = runs(sortedBy(ranksOf(slices.count, slices.compare)), sameIn(slices));
    return sliceResults(slices, found, return_inverse, return_counts);
  },
);

/** `unique_consecutive`: one of each run of equal elements or slices. */
export const uniqueConsecutive: DynamicKernel = dynamicKernel(
  ["aten::unique_consecutive", "aten::unique_dim_consecutive"],
  ({ self: tensor, dim, return_inverse, return_counts }) => {
    if (dim === null) {
      const keys = keysOf(tensor);
      return flatResults(tensor, runs(inOrder(keys.length), sameKey(keys)), return_inverse, return_counts);
    }
    const slices = slicesOf(tensor, dim);
    return sliceResults(slices, runs(inOrder(slices.count), sameIn(slices)), return_inverse, return_counts);
  },
);

/** Negative, positive, 0 of equal ones; NaN of two of which none comes first and which are not equal. */
type Compare = (a: number, b: number) => number;

function elementOrder(tensor: HostData): Compare {
  const read = reader(tensor);
  return (a, b) => order(read(a), read(b));
}

/** NaNs come last. */
function order(x: number | bigint, y: number | bigint): number {
  if (x === y) return 0;
  if (x < y) return -1;
  return x > y ? 1 : Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || Number.NaN;
}

/** Numbers in whose order the elements are, with NaN for NaN. Integers beyond the exact ones of double precision are ranked. */
function keysOf(tensor: HostData): Float64Array {
  const [read, count] = [reader(tensor), numel(tensor.shape)];
  const keys = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    const value = read(i);
    if (typeof value === "bigint" && !Number.isSafeInteger(Number(value))) return ranksOf(count, elementOrder(tensor));
    keys[i] = Number(value);
  }
  return keys;
}

/** Ranks what is compared, NaN behind all others. Zeros of both signs are equal. */
function ranksOf(count: number, compare: Compare): Float64Array {
  const byValue = inOrder(count).sort((a, b) => compare(a, b) || a - b);
  const ranks = new Float64Array(count);
  let rank = 0;
  for (const [i, position] of byValue.entries()) {
    if (i > 0 && compare(byValue[i - 1]!, position) < 0) rank++;
    ranks[position] = rank;
  }
  return ranks;
}

/** Which of equal ones comes first is left to PyTorch's way of sorting. */
function sortedBy(keys: Float64Array): Int32Array {
  const at = inOrder(keys.length);
  sortRange({ keys, at }, 0, keys.length);
  return at;
}

function inOrder(count: number): Int32Array {
  return new Int32Array(count).map((_, i) => i);
}

/** Whether two elements or slices are equal. NaN equals nothing, itself included. */
type Same = (a: number, b: number) => boolean;

function sameKey(keys: Float64Array): Same {
  return (a, b) => keys[a] === keys[b];
}

function sameIn({ compare }: Slices): Same {
  return (a, b) => compare(a, b) === 0;
}

/** Groups equal neighbors. */
function runs(positions: Int32Array, isSame: Same): Distinct {
  const firsts: number[] = [];
  const counts: number[] = [];
  const inverse = new Int32Array(positions.length);
  for (const position of positions) {
    const last = firsts.at(-1);
    if (last === undefined || !isSame(last, position)) {
      firsts.push(position);
      counts.push(0);
    }
    counts[counts.length - 1]!++;
    inverse[position] = firsts.length - 1;
  }
  return { firsts, inverse, counts };
}

function flatResults(self: HostData, found: Distinct, inverse: boolean, counts: boolean): readonly RunValue[] {
  const bytes = takeRows(self.bytes, DTYPES[self.dtype].itemsize, found.firsts);
  return [
    { dtype: self.dtype, shape: [found.firsts.length], bytes },
    inverse ? int64Tensor(self.shape, found.inverse) : int64Tensor([0], []),
    counts ? int64Tensor([found.counts.length], found.counts) : int64Tensor([0], []),
  ];
}

interface Slices {
  readonly tensor: HostData;
  readonly dim: number;
  readonly count: number;
  readonly compare: Compare;
}

function slicesOf(tensor: HostData, given: number): Slices {
  const dim = normalDim(given, tensor.shape.length);
  const count = tensor.shape[dim]!;
  const inner = numel(tensor.shape.slice(dim + 1));
  const outer = numel(tensor.shape.slice(0, dim));
  const compareElements = elementOrder(tensor);
  const compare: Compare = (a, b) => {
    for (let o = 0; o < outer; o++) {
      for (let i = 0; i < inner; i++) {
        const difference = compareElements((o * count + a) * inner + i, (o * count + b) * inner + i);
        if (difference !== 0) return difference;
      }
    }
    return 0;
  };
  return { tensor, dim, count, compare };
}

function sliceResults(
  { tensor, dim, count }: Slices,
  found: Distinct,
  inverse: boolean,
  counts: boolean,
): readonly RunValue[] {
  const { dtype, shape, bytes } = tensor;
  const outer = numel(shape.slice(0, dim));
  const rows = Array.from({ length: outer }, (_, o) => found.firsts.map((first) => o * count + first)).flat();
  const size = numel(shape.slice(dim + 1)) * DTYPES[dtype].itemsize;
  const kept = shape.map((n, d) => (d === dim ? found.firsts.length : n));
  return [
    { dtype, shape: kept, bytes: takeRows(bytes, size, rows) },
    inverse ? int64Tensor([count], found.inverse) : int64Tensor([0], []),
    counts ? int64Tensor([found.counts.length], found.counts) : int64Tensor([0], []),
  ];
}
