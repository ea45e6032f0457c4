import { numel } from "@pt2/backend";
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
  if (weights === null) {
    const counts = new Float64Array(size);
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
    const all = new Float64Array(outer * rows.length);
    for (let o = 0, next = 0; o < outer; o++) for (const row of rows) all[next++] = o * size + row;
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

function integers(tensor: HostData): Float64Array {
  return hostArray(tensor).data;
}

/** The smallest and the largest of numbers; 0 and -1 if there are none. */
function extremesOf(values: Float64Array): readonly [number, number] {
  let [least, most] = [values[0] ?? 0, values[0] ?? -1];
  for (let i = 1; i < values.length; i++) {
    least = Math.min(least, values[i]!);
    most = Math.max(most, values[i]!);
  }
  return [least, most];
}

function repeated(counts: Float64Array): Float64Array {
  if (counts.some((count) => count < 0)) throw dynamicError("repeat_interleave: repeats can not be negative");
  const total = counts.reduce((sum, count) => sum + count, 0);
  requireRoom("repeat_interleave", total * 8);
  const rows = new Float64Array(total);
  for (let i = 0, start = 0; i < counts.length; i++) {
    rows.fill(i, start, start + counts[i]!);
    start += counts[i]!;
  }
  return rows;
}
