import { numel } from "@pt2/backend";
import { contiguousStrides, normalDim } from "@pt2/format";
import { slicesOf } from "../strides/offsets.ts";
import { Fourier } from "./fourier.ts";
import type { HostArray } from "./host-array.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";

/** `_fft_c2c(self, dim, normalization, forward)`. */
const complexToComplex: HostKernel = hostKernel(["aten::_fft_c2c"], (call, args) => {
  const { shape, data } = call.array(args.self);
  const dims = dimsOf(args, shape);
  for (const dim of dims) transform(data, shape, dim, args.forward);
  return [normalized(data, args, shape, dims)];
});

/** `_fft_r2c(self, dim, normalization, onesided)`: if `onesided`, only the first half of the last of `dim` is returned. */
const realToComplex: HostKernel = hostKernel(["aten::_fft_r2c"], (call, args) => {
  const { shape, data: real } = call.array(args.self);
  const data = new Float64Array(2 * real.length);
  for (const [i, value] of real.entries()) data[2 * i] = value;
  const dims = dimsOf(args, shape);
  // The last is the one that reads real numbers, so what it makes of them is symmetric to the last bit, as in PyTorch.
  const last = dims.at(-1)!;
  transform(data, shape, last, true);
  mirror(data, shape, last);
  for (const dim of dims.slice(0, -1)) transform(data, shape, dim, true);
  const half = resized({ shape, complex: true, data }, last, call.shape(0));
  return [normalized(half, args, shape, dims)];
});

/** `_fft_c2r(self, dim, normalization, last_dim_size)`: the inverse, of the first half of a symmetric spectrum. */
const complexToReal: HostKernel = hostKernel(["aten::_fft_c2r"], (call, args) => {
  const { shape: given, data: half } = call.array(args.self);
  const shape = call.shape(0);
  const dims = dimsOf(args, given);
  const last = dims.at(-1)!;
  for (const dim of dims.slice(0, -1)) transform(half, given, dim, false);
  const data = resized({ shape: given, complex: true, data: half }, last, shape);
  mirror(data, shape, last);
  transform(data, shape, last, false);
  const real = data.filter((_, i) => i % 2 === 0);
  return [normalized(real, args, shape, dims)];
});

/** Fourier transforms of any length, in double precision. */
export const FOURIER: readonly HostKernel[] = [complexToComplex, realToComplex, complexToReal];

/** The arguments that all three ops have. */
interface FourierArgs {
  readonly dim: readonly number[];
  readonly normalization: number;
}

function dimsOf({ dim: dims }: FourierArgs, shape: readonly number[]): readonly number[] {
  return dims.map((dim) => normalDim(dim, shape.length));
}

/** PyTorch numbers the normalizations: 0 is none, 1 divides by the square root of the count, 2 by the count. */
function normalized(
  data: Float64Array,
  { normalization: mode }: FourierArgs,
  shape: readonly number[],
  dims: readonly number[],
): Float64Array {
  const count = dims.reduce((n, dim) => n * shape[dim]!, 1);
  const scale = mode === 0 ? 1 : mode === 1 ? 1 / Math.sqrt(count) : 1 / count;
  return scale === 1 ? data : data.map((value) => value * scale);
}

/** Transforms every slice along `dim` in place. */
function transform(data: Float64Array, shape: readonly number[], dim: number, forward: boolean): void {
  if (numel(shape) === 0) return;
  const { starts, size, stride } = slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
  const fourier = new Fourier(size);
  const lane = new Float64Array(2 * size);
  for (const start of starts) {
    for (let i = 0; i < size; i++) {
      const at = 2 * (start + i * stride);
      lane[2 * i] = data[at]!;
      lane[2 * i + 1] = data[at + 1]!;
    }
    fourier.transform(lane, forward);
    for (let i = 0; i < size; i++) {
      const at = 2 * (start + i * stride);
      data[at] = lane[2 * i]!;
      data[at + 1] = lane[2 * i + 1]!;
    }
  }
}

/** Cuts a tensor, or pads it with zeros, to another size of one dimension. */
function resized({ shape, data }: HostArray, dim: number, to: readonly number[]): Float64Array {
  const result = new Float64Array(2 * numel(to));
  const [from, target] = [shape, to].map((s) => slicesOf({ shape: s, strides: contiguousStrides(s) }, dim));
  const size = Math.min(from!.size, target!.size);
  for (const [lane, start] of from!.starts.entries()) {
    for (let i = 0; i < size; i++) {
      const [a, b] = [2 * (start + i * from!.stride), 2 * (target!.starts[lane]! + i * target!.stride)];
      result[b] = data[a]!;
      result[b + 1] = data[a + 1]!;
    }
  }
  return result;
}

/** Fills the second half of a spectrum from the first: X[n-k] is the conjugate of X[k], X[0] and X[n/2] are real. */
function mirror(data: Float64Array, shape: readonly number[], dim: number): void {
  const { starts, size, stride } = slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
  for (const start of starts) {
    data[2 * start + 1] = 0;
    for (let k = 1; 2 * k <= size; k++) {
      const [a, b] = [2 * (start + k * stride), 2 * (start + (size - k) * stride)];
      if (a === b) data[a + 1] = 0;
      data[b] = data[a]!;
      data[b + 1] = a === b ? 0 : -data[a + 1]!;
    }
  }
}
