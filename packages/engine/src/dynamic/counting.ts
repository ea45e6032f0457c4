import { numel, viewAs } from "@pt2/backend";
import { DTYPES, type DType, normalDim } from "@pt2/format";
import { hostArray, hostData } from "../host/host-array.ts";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { int64Tensor, takeRows } from "./bytes.ts";
import { dynamicError, requireRoom } from "./errors.ts";

/** `bincount(self, weights?, minlength)` */
export const bincount: DynamicKernel = dynamicKernel(["aten::bincount"], ({ self, weights, minlength }) => {
  const values = integers(self);
  const [least, most] = extremesOf(values);
  if (least < 0 || minlength < 0) throw dynamicError("bincount only supports 1-d non-negative integral inputs");
  const size = Math.max(most + 1, minlength);
  requireRoom("bincount", size * 8);
  if (weights === null || values.count === 0) return [int64Tensor([size], countsOf(values, size))];
  // Sums are rounded as the weights are.
  const dtype = weights.dtype === "float32" ? "float32" : "float64";
  const sums = dtype === "float32" ? new Float32Array(size) : new Float64Array(size);
  const { data } = hostArray(weights);
  addUp(sums, values, data);
  return [{ dtype, shape: [size], bytes: new Uint8Array(sums.buffer) }];
});

/** How often each number below `size` is there. */
function countsOf({ numbers, step, count }: Integers, size: number): Int32Array {
  const counts = new Int32Array(size);
  for (let i = 0, end = step * count; i < end; i += step) counts[numbers[i]!]!++;
  return counts;
}

/** Adds each weight to the sum of its number. */
function addUp(sums: Float32Array | Float64Array, { numbers, step }: Integers, weights: Float64Array): void {
  for (let i = 0, at = 0; i < weights.length; i++, at += step) sums[numbers[at]!]! += weights[i]!;
}

/** `repeat_interleave(repeats)`: position i, as often as `repeats[i]`. */
export const repeatPositions: DynamicKernel = dynamicKernel(["aten::repeat_interleave.Tensor"], ({ repeats }) => {
  const rows = repeated(integers(repeats));
  const shape = [rows.length];
  return [repeats.dtype === "int64" ? int64Tensor(shape, rows) : hostData({ dtype: repeats.dtype, shape }, rows)];
});

/** `repeat_interleave(self, repeats, dim?)`: slice i of a dimension, as often as `repeats[i]`. */
export const repeatSlices: DynamicKernel = dynamicKernel(
  ["aten::repeat_interleave.self_Tensor"],
  ({ self, repeats, dim }) => {
    const { dtype, bytes, shape: given } = self;
    const shape = dim === null ? [numel(given)] : given;
    const at = dim === null ? 0 : normalDim(dim, shape.length);
    const size = shape[at]!;
    const counts = integers(repeats);
    const { numbers, count } = counts;
    const rows = repeated(count === 1 ? elementsOf(new Int32Array(size).fill(numbers[0]!)) : counts);
    const outer = numel(shape.slice(0, at));
    const all = outer === 1 ? rows : new Float64Array(outer * rows.length);
    if (outer > 1) {
      for (let o = 0, next = 0; o < outer; o++) {
        for (let i = 0; i < rows.length; i++) all[next++] = o * size + rows[i]!;
      }
    }
    const slice = numel(shape.slice(at + 1)) * DTYPES[dtype].itemsize;
    return [{ dtype, shape: shape.map((n, d) => (d === at ? rows.length : n)), bytes: takeRows(bytes, slice, all) }];
  },
);

/** `one_hot(self)` without a number of classes: as many as the largest value asks for. */
export const oneHot: DynamicKernel = dynamicKernel(["aten::one_hot"], ({ self }) => {
  const { shape } = self;
  const values = integers(self);
  const [least, most] = extremesOf(values);
  if (least < 0) throw dynamicError("one_hot: class values must be non-negative");
  const classes = most + 1;
  const { numbers, step, count } = values;
  requireRoom("one_hot", count * classes * 8);
  const flags = new Uint8Array(count * classes);
  for (let i = 0; i < count; i++) flags[i * classes + numbers[i * step]!] = 1;
  return [int64Tensor([...shape, classes], flags)];
});

/** Integers in memory, one each `step` numbers. */
export interface Integers {
  readonly numbers: Float64Array | Int32Array | Int16Array | Uint16Array | Int8Array | Uint8Array;
  readonly step: number;
  readonly count: number;
}

/** The elements of a tensor of integers: where they lie if they have up to 32 bits, or are integers of 64 that 32 have too. */
export function integers(tensor: HostData): Integers {
  const { dtype, bytes } = tensor;
  if (SHORT.has(dtype)) return elementsOf(viewAs(dtype, bytes) as Int32Array);
  return (dtype === "int64" ? lowWords(bytes) : null) ?? elementsOf(hostArray(tensor).data);
}

/** The dtypes of integers that typed arrays have. */
const SHORT: ReadonlySet<DType> = new Set<DType>(["int32", "int16", "uint16", "int8", "uint8", "bool"]);

function elementsOf(numbers: Integers["numbers"]): Integers {
  return { numbers, step: 1, count: numbers.length };
}

/** The low words of integers of 64 bits; null if the others say more than the sign. */
function lowWords(bytes: Uint8Array): Integers | null {
  const numbers = viewAs("int32", bytes) as Int32Array;
  let different = 0;
  for (let i = 0; i < numbers.length; i += 2) different |= numbers[i + 1]! ^ (numbers[i]! >> 31);
  return different === 0 ? { numbers, step: 2, count: numbers.length / 2 } : null;
}

/** The smallest and the largest of numbers; 0 and -1 if there are none. */
export function extremesOf({ numbers, step, count }: Integers): readonly [number, number] {
  let least = numbers[0] ?? 0;
  let most = numbers[0] ?? -1;
  for (let i = step, end = step * count; i < end; i += step) {
    const value = numbers[i]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return [least, most];
}

function repeated({ numbers, step, count }: Integers): Int32Array {
  let total = 0;
  for (let i = 0, end = step * count; i < end; i += step) {
    const times = numbers[i]!;
    if (times < 0) throw dynamicError("repeat_interleave: repeats can not be negative");
    total += times;
  }
  requireRoom("repeat_interleave", total * 8);
  const rows = new Int32Array(total);
  for (let i = 0, at = 0; i < count; i++) {
    for (const end = at + numbers[i * step]!; at < end; at++) rows[at] = i;
  }
  return rows;
}
