import { numel } from "@pt2/backend";
import { contiguousStrides, normalDim } from "@pt2/format";
import { type Slices, slicesOf } from "../strides/offsets.ts";
import { fourierOf } from "./fourier.ts";
import { type HostKernel, hostKernel } from "./host-kernel.ts";
import { mirroredStarts } from "./mirrored-starts.ts";
import { realFourierOf } from "./real-fourier.ts";

/** Slices that are worked on together: where their elements stand side by side in memory, each read brings in all of them. */
const LANES = 8;

/** The most elements of slices that are transformed together, so that they stay in a processor's cache. */
const TOGETHER = 2 ** 14;

/** `_fft_c2c(self, dim, normalization, forward)`. */
const complexToComplex: HostKernel = hostKernel(["aten::_fft_c2c"], (call, args) => {
  const { shape, data } = call.array(args.self);
  const dims = dimsOf(args, shape);
  const real = dims.length === 0 ? null : realParts(data);
  if (real !== null) {
    const spectrum = wholeSpectrum(real, args, shape, dims);
    // The inverse of real numbers is the conjugate.
    if (!args.forward) for (let i = 1; i < spectrum.length; i += 2) spectrum[i] = -spectrum[i]!;
    return [spectrum];
  }
  for (const dim of dims) transform(data, shape, dim, args.forward);
  return [normalized(data, args, shape, dims)];
});

/** `_fft_r2c(self, dim, normalization, onesided)`: if `onesided`, only the first half of the last of `dim` is returned. */
const realToComplex: HostKernel = hostKernel(["aten::_fft_r2c"], (call, args) => {
  const { shape, data } = call.array(args.self);
  const dims = dimsOf(args, shape);
  return [args.onesided ? halfSpectrum(data, args, shape, dims) : wholeSpectrum(data, args, shape, dims)];
});

/** `_fft_c2r(self, dim, normalization, last_dim_size)`: the inverse, of the first half of a symmetric spectrum. */
const complexToReal: HostKernel = hostKernel(["aten::_fft_c2r"], (call, args) => {
  const { shape: given, data: half } = call.array(args.self);
  const shape = call.shape(0);
  const dims = dimsOf(args, given);
  for (const dim of dims.slice(0, -1)) transform(half, given, dim, false);
  return [normalized(realInverse(half, given, dims.at(-1)!, shape), args, shape, dims)];
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

/** Transforms real numbers to the first half, in the last of `dims`, of their spectrum. */
function halfSpectrum(
  real: Float64Array,
  args: FourierArgs,
  shape: readonly number[],
  dims: readonly number[],
): Float64Array {
  const halfShape = halved(shape, dims.at(-1)!);
  const half = realTransform(real, shape, dims.at(-1)!, halfShape);
  for (const dim of dims.slice(0, -1)) transform(half, halfShape, dim, true);
  return normalized(half, args, shape, dims);
}

/** Transforms real numbers. The second half of the spectrum follows from the first, symmetric to the last bit as in PyTorch. */
function wholeSpectrum(
  real: Float64Array,
  args: FourierArgs,
  shape: readonly number[],
  dims: readonly number[],
): Float64Array {
  // The last dimension is halved. An even one takes less time.
  const ordered = [...dims].sort((a, b) => (shape[b]! % 2) - (shape[a]! % 2));
  const half = halfSpectrum(real, args, shape, ordered);
  return mirrored(half, halved(shape, ordered.at(-1)!), ordered, shape);
}

function halved(shape: readonly number[], dim: number): readonly number[] {
  return shape.with(dim, Math.floor(shape[dim]! / 2) + 1);
}

/** The real parts, if all imaginary parts are zero, as they are where a program transforms real numbers as complex ones. */
function realParts(data: Float64Array): Float64Array | null {
  for (let i = 1; i < data.length; i += 2) if (data[i] !== 0) return null;
  const real = new Float64Array(data.length / 2);
  for (let i = 0; i < real.length; i++) real[i] = data[2 * i]!;
  return real;
}

/** Scales in place. PyTorch numbers the normalizations: 0 is none, 1 divides by the square root of the count, 2 by the count. */
function normalized(
  data: Float64Array,
  { normalization: mode }: FourierArgs,
  shape: readonly number[],
  dims: readonly number[],
): Float64Array {
  const count = dims.reduce((n, dim) => n * shape[dim]!, 1);
  const scale = mode === 0 ? 1 : mode === 1 ? 1 / Math.sqrt(count) : 1 / count;
  if (scale !== 1) for (let i = 0; i < data.length; i++) data[i]! *= scale;
  return data;
}

/** Transforms every slice along `dim` in place. */
function transform(data: Float64Array, shape: readonly number[], dim: number, forward: boolean): void {
  if (numel(shape) === 0) return;
  const { starts, size, stride } = rowMajor(shape, dim);
  const fourier = fourierOf(size);
  const most = Math.max(1, Math.min(LANES, Math.floor(TOGETHER / size)));
  let block = new Float64Array(0);
  for (let first = 0; first < starts.length; first += most) {
    const lanes = Math.min(most, starts.length - first);
    if (block.length !== 2 * lanes * size) block = new Float64Array(2 * lanes * size);
    for (let i = 0, to = 0; i < size; i++) {
      for (let k = first; k < first + lanes; k++, to += 2) {
        const at = 2 * (starts[k]! + i * stride);
        block[to] = data[at]!;
        block[to + 1] = data[at + 1]!;
      }
    }
    fourier.transform(block, forward, lanes);
    for (let i = 0, from = 0; i < size; i++) {
      for (let k = first; k < first + lanes; k++, from += 2) {
        const at = 2 * (starts[k]! + i * stride);
        data[at] = block[from]!;
        data[at + 1] = block[from + 1]!;
      }
    }
  }
}

/** Transforms every slice of real numbers along `dim` to the first half of its spectrum. */
function realTransform(
  data: Float64Array,
  shape: readonly number[],
  dim: number,
  halfShape: readonly number[],
): Float64Array {
  const result = new Float64Array(2 * numel(halfShape));
  if (data.length === 0) return result;
  const [from, to] = [rowMajor(shape, dim), rowMajor(halfShape, dim)];
  const { forward } = realFourierOf(from.size);
  const pairs = lanesOf(LANES, from.size, 2 * to.size);
  for (let first = 0; first < from.starts.length; first += LANES) {
    const lanes = Math.min(LANES, from.starts.length - first);
    for (let i = 0; i < from.size; i++) {
      for (let k = 0; k < lanes; k++) pairs[k]!.real[i] = data[from.starts[first + k]! + i * from.stride]!;
    }
    for (let k = 0; k < lanes; k++) forward(pairs[k]!.real, pairs[k]!.spectrum);
    for (let i = 0; i < to.size; i++) {
      for (let k = 0; k < lanes; k++) {
        const at = 2 * (to.starts[first + k]! + i * to.stride);
        result[at] = pairs[k]!.spectrum[2 * i]!;
        result[at + 1] = pairs[k]!.spectrum[2 * i + 1]!;
      }
    }
  }
  return result;
}

/** The inverse to a given shape. What is missing of the first half is zero, and what is beyond it is left out. */
function realInverse(
  half: Float64Array,
  halfShape: readonly number[],
  dim: number,
  shape: readonly number[],
): Float64Array {
  const result = new Float64Array(numel(shape));
  if (result.length === 0) return result;
  const [from, to] = [rowMajor(halfShape, dim), rowMajor(shape, dim)];
  const { inverse } = realFourierOf(to.size);
  const wanted = Math.floor(to.size / 2) + 1;
  const pairs = lanesOf(LANES, to.size, 2 * wanted);
  for (let first = 0; first < from.starts.length; first += LANES) {
    const lanes = Math.min(LANES, from.starts.length - first);
    for (let i = 0; i < Math.min(wanted, from.size); i++) {
      for (let k = 0; k < lanes; k++) {
        const at = 2 * (from.starts[first + k]! + i * from.stride);
        pairs[k]!.spectrum[2 * i] = half[at]!;
        pairs[k]!.spectrum[2 * i + 1] = half[at + 1]!;
      }
    }
    for (let k = 0; k < lanes; k++) inverse(pairs[k]!.spectrum, pairs[k]!.real);
    for (let i = 0; i < to.size; i++) {
      for (let k = 0; k < lanes; k++) result[to.starts[first + k]! + i * to.stride] = pairs[k]!.real[i]!;
    }
  }
  return result;
}

/** Makes room for a slice of real numbers and its spectrum, several times. */
function lanesOf(
  count: number,
  size: number,
  length: number,
): readonly { readonly real: Float64Array; readonly spectrum: Float64Array }[] {
  return Array.from({ length: count }, () => ({ real: new Float64Array(size), spectrum: new Float64Array(length) }));
}

/** Completes spectra of real numbers from their first halves: X[-k] is the conjugate of X[k], in all dimensions. */
function mirrored(
  half: Float64Array,
  halfShape: readonly number[],
  dims: readonly number[],
  shape: readonly number[],
): Float64Array {
  const result = new Float64Array(2 * numel(shape));
  const last = dims.at(-1)!;
  const [from, to] = [rowMajor(halfShape, last), rowMajor(shape, last)];
  const opposite = mirroredStarts(halfShape, dims);
  for (let first = 0; first < to.starts.length; first += LANES) {
    const end = Math.min(first + LANES, to.starts.length);
    for (let i = 0; i < to.size; i++) {
      const isGiven = i < from.size;
      const offset = (isGiven ? i : to.size - i) * from.stride;
      const starts = isGiven ? from.starts : opposite;
      const sign = isGiven ? 1 : -1;
      for (let k = first; k < end; k++) {
        const at = 2 * (to.starts[k]! + i * to.stride);
        const given = 2 * (starts[k]! + offset);
        result[at] = half[given]!;
        result[at + 1] = sign * half[given + 1]!;
      }
    }
  }
  return result;
}

function rowMajor(shape: readonly number[], dim: number): Slices {
  return slicesOf({ shape, strides: contiguousStrides(shape) }, dim);
}
