import { numel, viewAs } from "@pt2/backend";
import { DTYPES, normalDim } from "@pt2/format";
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
  if (weights === null || values.length === 0) {
    const counts = new Int32Array(size);
    for (let i = 0; i < values.length; i++) counts[values[i]!]!++;
    return [int64Tensor([size], counts)];
  }
  // Sums are rounded as the weights are.
  const dtype = weights.dtype === "float32" ? "float32" : "float64";
  const sums = dtype === "float32" ? new Float32Array(size) : new Float64Array(size);
  const { data } = hostArray(weights);
  for (let i = 0; i < values.length; i++) sums[values[i]!]! += data[i]!;
  return [{ dtype, shape: [size], bytes: new Uint8Array(sums.buffer) }];
});

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
    const rows = repeated(counts.length === 1 ? new Float64Array(size).fill(counts[0]!) : counts);
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
  requireRoom("one_hot", values.length * classes * 8);
  const flags = new Uint8Array(values.length * classes);
  for (let i = 0; i < values.length; i++) flags[i * classes + values[i]!] = 1;
  return [int64Tensor([...shape, classes], flags)];
});

/** The elements of a tensor of integers, as those of 32 bits where they are: half of the memory is read and written. */
function integers(tensor: HostData): Float64Array | Int32Array {
  return (tensor.dtype === "int64" ? shortIntegers(tensor) : null) ?? hostArray(tensor).data;
}

/** Integers of 64 bits as those of 32; null if some are longer. */
function shortIntegers({ bytes }: HostData): Int32Array | null {
  const words = viewAs("int32", bytes) as Int32Array;
  const values = new Int32Array(words.length / 2);
  let different = 0;
  for (let i = 0; i < values.length; i++) {
    const low = words[2 * i]!;
    values[i] = low;
    different |= words[2 * i + 1]! ^ (low >> 31);
  }
  return different === 0 ? values : null;
}

/** The smallest and the largest of numbers; 0 and -1 if there are none. */
function extremesOf(values: Float64Array | Int32Array): readonly [number, number] {
  let least = values[0] ?? 0;
  let most = values[0] ?? -1;
  for (let i = 1; i < values.length; i++) {
    least = Math.min(least, values[i]!);
    most = Math.max(most, values[i]!);
  }
  return [least, most];
}

function repeated(counts: Float64Array | Int32Array): Int32Array {
  let total = 0;
  for (let i = 0; i < counts.length; i++) {
    if (counts[i]! < 0) throw dynamicError("repeat_interleave: repeats can not be negative");
    total += counts[i]!;
  }
  requireRoom("repeat_interleave", total * 8);
  const rows = new Int32Array(total);
  for (let i = 0, at = 0; i < counts.length; i++) {
    for (const end = at + counts[i]!; at < end; at++) rows[at] = i;
  }
  return rows;
}
