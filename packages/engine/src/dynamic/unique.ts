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
  readonly inverse: readonly number[];
  readonly counts: readonly number[];
}

/** `_unique` and `_unique2` of the elements of a tensor, ascending. */
export const unique: DynamicKernel = dynamicKernel(
  ["aten::_unique", "aten::_unique2"],
  ({ self, return_inverse, return_counts }) => {
    const found = sorted(numel(self.shape), elementOrder(self));
    return flatResults(self, found, return_inverse, return_counts === true);
  },
);

/** `unique_dim`: distinct slices of a dimension, in lexicographic order. */
export const uniqueDim: DynamicKernel = dynamicKernel(
  ["aten::unique_dim"],
  ({ self, dim, return_inverse, return_counts }) => {
    const slices = slicesOf(self, dim);
    const found = sorted(slices.count, slices.compare);
    return sliceResults(slices, found, return_inverse, return_counts);
  },
);

/** `unique_consecutive`: one of each run of equal elements or slices. */
export const uniqueConsecutive: DynamicKernel = dynamicKernel(
  ["aten::unique_consecutive", "aten::unique_dim_consecutive"],
  ({ self: tensor, dim, return_inverse, return_counts }) => {
    if (dim === null) {
      const found = consecutive(numel(tensor.shape), elementOrder(tensor));
      return flatResults(tensor, found, return_inverse, return_counts);
    }
    const slices = slicesOf(tensor, dim);
    return sliceResults(slices, consecutive(slices.count, slices.compare), return_inverse, return_counts);
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

/** Zeros of both signs are equal, and NaN equals nothing: which of them comes first is left to PyTorch's way of sorting. */
function sorted(count: number, compare: Compare): Distinct {
  const byValue = Array.from({ length: count }, (_, i) => i).sort((a, b) => compare(a, b) || a - b);
  const keys = new Float64Array(count);
  let rank = 0;
  for (const [i, position] of byValue.entries()) {
    if (i > 0 && compare(byValue[i - 1]!, position) < 0) rank++;
    keys[position] = rank;
  }
  const at = Int32Array.from(keys.keys());
  sortRange({ keys, at }, 0, count);
  return runs([...at], compare);
}

function consecutive(count: number, compare: Compare): Distinct {
  return runs(
    Array.from({ length: count }, (_, i) => i),
    compare,
  );
}

/** Groups equal neighbors. NaN equals nothing, itself included. */
function runs(positions: readonly number[], compare: Compare): Distinct {
  const firsts: number[] = [];
  const counts: number[] = [];
  const inverse = new Array<number>(positions.length);
  for (const position of positions) {
    const last = firsts.at(-1);
    if (last === undefined || compare(last, position) !== 0) {
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
