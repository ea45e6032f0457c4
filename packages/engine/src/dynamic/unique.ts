import { numel, viewAs } from "@pt2/backend";
import { bitsToFloat32, DTYPES, isSmallFloat, normalDim } from "@pt2/format";
import { hostData } from "../host/host-array.ts";
import { setKeys } from "../order/keys.ts";
import { type Ordered, sortRange } from "../order/sort.ts";
import { stableSort } from "../order/stable-sort.ts";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData, RunValue } from "../staged/run-value.ts";
import { int64Tensor, takeElements, takeRows } from "./bytes.ts";
import { extremesOf, integers } from "./counting.ts";
import { reader } from "./elements.ts";

/** Distinct elements: positions, equal ones beside each other, and where in them those of each element begin. */
interface Distinct {
  readonly count: number;
  /** Null where all are in place. */
  readonly positions: Int32Array | null;
  readonly starts: Int32Array;
}

/** `_unique` and `_unique2` of the elements of a tensor, ascending. */
export const unique: DynamicKernel = dynamicKernel(
  ["aten::_unique", "aten::_unique2"],
  ({ self, return_inverse, return_counts }) => {
    const counted = countedResults(self, return_inverse, return_counts === true);
    if (counted !== null) return counted;
    const keys = keysOf(self, true);
    const order = keys.includes(Number.NaN) ? keysOf(self, false) : keys;
    const isFloat = DTYPES[self.dtype].kind === "float";
    const found = runs(keys.length, sortedBy(order, isFloat ? sortRange : stableSort), sameKey(keys));
    return flatResults(self, found, return_inverse, return_counts === true);
  },
);

/** Integers in a range of so many are counted: sorting them would take ten times as long. */
const RANGE = 65536;

/** Counts integers that are close to each other; null where elements are not. */
function countedResults(self: HostData, inverse: boolean, counts: boolean): readonly RunValue[] | null {
  const { kind, itemsize } = DTYPES[self.dtype];
  if (kind === "float" || kind === "complex" || (kind === "uint" && itemsize > 2)) return null;
  const { numbers, step, count } = integers(self);
  const [least, most] = extremesOf({ numbers, step, count });
  const size = most - least + 1;
  // Beyond 2^53 a number stands for several integers.
  const isExact = Number.isSafeInteger(least) && Number.isSafeInteger(most);
  if (!isExact || !(size > 0 && size <= Math.max(RANGE, count))) return null;
  const times = new Int32Array(size);
  for (let i = 0, end = step * count; i < end; i += step) times[numbers[i]! - least]!++;
  const found: number[] = [];
  // What number each one is of those that are there.
  const ranks = new Int32Array(size);
  for (let i = 0; i < size; i++) {
    ranks[i] = found.length;
    if (times[i]! > 0) found.push(i);
  }
  const inverses = inverse ? new Int32Array(count) : null;
  if (inverses !== null) for (let i = 0, at = 0; i < count; i++, at += step) inverses[i] = ranks[numbers[at]! - least]!;
  const shape = [found.length];
  const values = Float64Array.from(found, (i) => i + least);
  return [
    self.dtype === "int64" ? int64Tensor(shape, values) : hostData({ dtype: self.dtype, shape }, values),
    inverses === null ? int64Tensor([0], []) : int64Tensor(self.shape, inverses),
    counts
      ? int64Tensor(
          shape,
          Int32Array.from(found, (i) => times[i]!),
        )
      : int64Tensor([0], []),
  ];
}

/** `unique_dim`: distinct slices of a dimension, in lexicographic order. */
export const uniqueDim: DynamicKernel = dynamicKernel(["aten::unique_dim"], ({ self, dim }) => {
  const slices = slicesOf(self, dim);
  const positions = sortedBy(ranksOf(slices.count, slices.compare), sortRange);
  return sliceResults(slices, runs(slices.count, positions, sameIn(slices)));
});

/** `unique_consecutive`: one of each run of equal elements, or of slices. Those of a list are its elements. */
export const uniqueConsecutive: DynamicKernel = dynamicKernel(
  ["aten::unique_consecutive"],
  ({ self, dim, return_inverse, return_counts }) =>
    dim === null || (dim === 0 && self.shape.length === 1)
      ? flatResults(self, neighbors(self), return_inverse, return_counts)
      : consecutiveSlices(self, dim),
);

/** `unique_dim_consecutive` */
export const uniqueDimConsecutive: DynamicKernel = dynamicKernel(["aten::unique_dim_consecutive"], ({ self, dim }) =>
  consecutiveSlices(self, dim),
);

function consecutiveSlices(self: HostData, dim: number): readonly RunValue[] {
  const slices = slicesOf(self, dim);
  return sliceResults(slices, runs(slices.count, null, sameIn(slices)));
}

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

/** Numbers in whose order the elements are; `raw`: with NaN for NaN. */
function keysOf({ dtype, shape, bytes }: HostData, raw: boolean): Float64Array {
  const keys = new Float64Array(numel(shape));
  setKeys(keys, { dtype, bytes, start: 0, stride: 1 }, { raw });
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

/** Which of equal ones comes first is left to the way of sorting: as in PyTorch where such can differ. */
function sortedBy(keys: Float64Array, sort: (ordered: Ordered, first: number, last: number) => void): Int32Array {
  const at = inOrder(keys.length);
  sort({ keys, at }, 0, keys.length);
  return at;
}

function inOrder(count: number): Int32Array {
  const positions = new Int32Array(count);
  for (let i = 0; i < count; i++) positions[i] = i;
  return positions;
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
function runs(count: number, positions: Int32Array | null, isSame: Same): Distinct {
  const starts = new Int32Array(count);
  let found = 0;
  for (let i = 0; i < count; i++) {
    const isNext = i > 0 && (positions === null ? isSame(i - 1, i) : isSame(positions[i - 1]!, positions[i]!));
    if (!isNext) starts[found++] = i;
  }
  return { count, positions, starts: starts.subarray(0, found) };
}

/** Groups equal neighbors of the elements as they lie. */
function neighbors({ dtype, shape, bytes }: HostData): Distinct {
  const count = numel(shape);
  const starts = new Int32Array(count);
  // Integers of 64 bits are compared as two words each, others as numbers: NaN equals nothing, and both zeros are equal.
  const isLong = dtype === "int64" || dtype === "uint64";
  const array = isSmallFloat(dtype) ? bitsToFloat32(dtype, bytes) : viewAs(isLong ? "int32" : dtype, bytes);
  return {
    count,
    positions: null,
    starts: starts.subarray(
      0,
      isLong ? pairRuns(array as Int32Array, starts) : elementRuns(array as Float32Array, starts),
    ),
  };
}

/** Writes where runs of equal numbers begin, without a branch, which would guess wrong in random data; gives how many there are. */
function elementRuns(array: Float32Array | Float64Array | Int32Array | Uint8Array, starts: Int32Array): number {
  let found = Math.min(1, starts.length);
  for (let i = 1; i < starts.length; i++) {
    starts[found] = i;
    found += Number(array[i] !== array[i - 1]);
  }
  return found;
}

/** The same of pairs of words. */
function pairRuns(words: Int32Array, starts: Int32Array): number {
  let found = Math.min(1, starts.length);
  for (let i = 1, at = 2; i < starts.length; i++, at += 2) {
    starts[found] = i;
    found += Number(((words[at]! ^ words[at - 2]!) | (words[at + 1]! ^ words[at - 1]!)) !== 0);
  }
  return found;
}

/** Where each distinct element first is. */
function firstsOf({ positions, starts }: Distinct): Int32Array {
  if (positions === null) return starts;
  const firsts = new Int32Array(starts.length);
  for (let i = 0; i < starts.length; i++) firsts[i] = positions[starts[i]!]!;
  return firsts;
}

/** Which of the distinct elements each element is, if wanted. */
function inverseOf({ count, positions, starts }: Distinct, wanted: boolean, shape: readonly number[]): HostData {
  if (!wanted) return int64Tensor([0], []);
  const inverse = new Int32Array(count);
  for (let i = 0, group = -1; i < count; i++) {
    if (starts[group + 1] === i) group++;
    inverse[positions === null ? i : positions[i]!] = group;
  }
  return int64Tensor(shape, inverse);
}

/** How many elements are equal to each distinct one, if wanted. */
function countsOf({ count, starts }: Distinct, wanted: boolean): HostData {
  if (!wanted) return int64Tensor([0], []);
  const counts = new Int32Array(starts.length);
  for (let i = 0; i < counts.length; i++) counts[i] = (starts[i + 1] ?? count) - starts[i]!;
  return int64Tensor([counts.length], counts);
}

function flatResults(self: HostData, found: Distinct, inverse: boolean, counts: boolean): readonly RunValue[] {
  return [takeElements(self, firstsOf(found)), inverseOf(found, inverse, self.shape), countsOf(found, counts)];
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

/** Of slices PyTorch returns everything, whatever is asked for. */
function sliceResults({ tensor, dim, count }: Slices, found: Distinct): readonly RunValue[] {
  const { dtype, shape, bytes } = tensor;
  const outer = numel(shape.slice(0, dim));
  const firsts = [...firstsOf(found)];
  const rows = Array.from({ length: outer }, (_, o) => firsts.map((first) => o * count + first)).flat();
  const size = numel(shape.slice(dim + 1)) * DTYPES[dtype].itemsize;
  const kept = shape.map((n, d) => (d === dim ? firsts.length : n));
  return [
    { dtype, shape: kept, bytes: takeRows(bytes, size, rows) },
    inverseOf(found, true, [count]),
    countsOf(found, true),
  ];
}
