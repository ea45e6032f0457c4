import { numel, viewAs } from "@pt2/backend";
import { DTYPES, normalDim } from "@pt2/format";
import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";
import type { HostData } from "../staged/run-value.ts";
import { int64Tensor, takeRows } from "./bytes.ts";
import { reader } from "./elements.ts";
import { dynamicError, requireRoom } from "./errors.ts";

/** `bincount(self, weights?, minlength)` */
export const bincount: DynamicKernel = dynamicKernel(["aten::bincount"], ({ self, weights, minlength }) => {
  const values = integers(self);
  if (values.some((value) => value < 0) || minlength < 0)
    throw dynamicError("bincount only supports 1-d non-negative integral inputs");
  const size = values.reduce((most, value) => Math.max(most, value + 1), minlength);
  requireRoom("bincount", size * 8);
  const sums = new Float64Array(size);
  const weight = weights === null ? null : reader(weights);
  for (const [i, value] of values.entries()) sums[value]! += weight === null ? 1 : Number(weight(i));
  if (weights === null) return [int64Tensor([size], sums)];
  const dtype = weights.dtype === "float32" ? "float32" : "float64";
  const data = dtype === "float32" ? Float32Array.from(sums) : sums;
  return [{ dtype, shape: [size], bytes: new Uint8Array(data.buffer) }];
});

/** `repeat_interleave(repeats)`: position i, as often as `repeats[i]`. */
export const repeatPositions: DynamicKernel = dynamicKernel(["aten::repeat_interleave.Tensor"], ({ repeats }) => {
  const { dtype } = repeats;
  const rows = repeated(integers(repeats));
  const bytes = new Uint8Array(rows.length * DTYPES[dtype].itemsize);
  const array = viewAs(dtype, bytes);
  for (const [i, row] of rows.entries()) array[i] = dtype === "int64" ? BigInt(row) : row;
  return [{ dtype, shape: [rows.length], bytes }];
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
    const rows = repeated(counts.length === 1 ? new Array<number>(size).fill(counts[0]!) : counts);
    const outer = numel(shape.slice(0, at));
    const all = Array.from({ length: outer }, (_, o) => rows.map((row) => o * size + row)).flat();
    const slice = numel(shape.slice(at + 1)) * DTYPES[dtype].itemsize;
    return [{ dtype, shape: shape.map((n, d) => (d === at ? rows.length : n)), bytes: takeRows(bytes, slice, all) }];
  },
);

/** `one_hot(self)` without a number of classes: as many as the largest value asks for. */
export const oneHot: DynamicKernel = dynamicKernel(["aten::one_hot"], ({ self }) => {
  const { shape } = self;
  const values = integers(self);
  if (values.some((value) => value < 0)) throw dynamicError("one_hot: class values must be non-negative");
  const classes = values.reduce((most, value) => Math.max(most, value + 1), 0);
  requireRoom("one_hot", values.length * classes * 8);
  const flags = new Uint8Array(values.length * classes);
  for (const [i, value] of values.entries()) flags[i * classes + value] = 1;
  return [int64Tensor([...shape, classes], flags)];
});

function integers(tensor: HostData): readonly number[] {
  const read = reader(tensor);
  return Array.from({ length: numel(tensor.shape) }, (_, i) => Number(read(i)));
}

function repeated(counts: readonly number[]): readonly number[] {
  if (counts.some((count) => count < 0)) throw dynamicError("repeat_interleave: repeats can not be negative");
  const total = counts.reduce((sum, count) => sum + count, 0);
  requireRoom("repeat_interleave", total * 8);
  return counts.flatMap((count, i) => new Array<number>(count).fill(i));
}
