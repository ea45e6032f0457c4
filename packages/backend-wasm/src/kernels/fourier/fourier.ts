import { numel } from "@pt2/backend";
import { normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { complexParts } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { fourierKernels } from "./fourier-module.ts";
import { mirroredStep } from "./mirrored.ts";
import { passStep, type Step } from "./pass.ts";
import { canTransform, rootsOfUnity } from "./transform.ts";

/** The arguments that these ops have. */
interface FourierArgs {
  readonly dim: readonly number[];
  readonly normalization: number;
}

/** `_fft_r2c(self, dim, normalization, onesided)`: if `onesided`, only the first half of the last of `dim` is returned. */
const realToComplex: WasmKernel = wasmKernel({
  ops: ["aten::_fft_r2c"],
  accepts({ self, dim, onesided }) {
    const dims = normal(dim, self.shape.length);
    return isFloat(self) && canPass(self.shape, onesided ? dims : halvedLast(self.shape, dims));
  },
  prepare(call, args) {
    const self = call.tensor(args.self);
    const dims = normal(args.dim, self.shape.length);
    const scale = scaleOf(args, self.shape, dims);
    const out = call.output();
    if (numel(out.shape) === 0) return;
    const steps = args.onesided ? halfSteps(call, self, dims, scale, out) : wholeSteps(call, self, dims, scale, out);
    for (const step of steps) call.step(step);
  },
});

/** `_fft_c2c(self, dim, normalization, forward)`. */
const complexToComplex: WasmKernel = wasmKernel({
  ops: ["aten::_fft_c2c"],
  accepts({ self, dim }) {
    const dims = normal(dim, self.shape.length);
    return dims.length > 0 && dims.every((dim) => canTransform(self.shape[dim]!));
  },
  prepare(call, args) {
    const self = call.dense(call.tensor(args.self));
    const out = call.output();
    if (numel(out.shape) === 0) return;
    const dims = normal(args.dim, self.shape.length);
    const scale = scaleOf(args, self.shape, dims);
    const { forward } = args;
    const between = dims.length === 1 || out.dtype === "complex128" ? out : wideRoom(call, self.shape);
    const ofComplex = dims.map((dim, i) => {
      const isLast = i === dims.length - 1;
      const to = isLast ? out : between;
      return complexStep(call, i === 0 ? self : between, to, dim, { forward, scale: isLast ? scale : 1 });
    });
    // A program may transform real numbers as complex ones: their spectrum is symmetric. That of the inverse is the conjugate.
    const parts = complexParts(self);
    const real = { ...parts, strides: parts.strides.map((stride) => 2 * stride) };
    const ofReal = wholeSteps(call, real, dims, scale, out, !forward);
    call.step(() => {
      for (const step of isReal(call, parts) ? ofReal : ofComplex) step();
    });
  },
});

/** `_fft_c2r(self, dim, normalization, last_dim_size)`: the inverse, of the first half of a symmetric spectrum. */
const complexToReal: WasmKernel = wasmKernel({
  ops: ["aten::_fft_c2r"],
  accepts({ self, dim, last_dim_size }) {
    const dims = normal(dim, self.shape.length);
    // Not `with`: arguments are checked after this.
    return canPass(
      self.shape.map((size, dim) => (dim === dims.at(-1) ? last_dim_size : size)),
      dims,
    );
  },
  prepare(call, args) {
    const self = call.tensor(args.self);
    const out = call.output();
    if (numel(out.shape) === 0) return;
    const dims = normal(args.dim, self.shape.length);
    const [last, others] = [dims.at(-1)!, dims.slice(0, -1)];
    const half = others.length === 0 ? self : wideRoom(call, self.shape);
    for (const [i, dim] of others.entries()) {
      call.step(complexStep(call, i === 0 ? self : half, half, dim, { forward: false, scale: 1 }));
    }
    call.step(realStep(call, half, out, last, scaleOf(args, out.shape, dims)));
  },
});

/** Fourier transforms, but for those of very long slices, which the host transforms. */
export const FOURIER_KERNELS: readonly WasmKernel[] = [realToComplex, complexToComplex, complexToReal];

function isFloat({ dtype }: TensorMeta): boolean {
  return dtype === "float32" || dtype === "float64";
}

function normal(dims: readonly number[], rank: number): readonly number[] {
  return dims.map((dim) => normalDim(dim, rank));
}

/** The dimensions of a whole spectrum with one at the end whose size is even, if there is one: that is halved. */
function halvedLast(shape: readonly number[], dims: readonly number[]): readonly number[] {
  return [...dims].sort((a, b) => (shape[b]! % 2) - (shape[a]! % 2));
}

/** Whether all imaginary parts are zero. `parts` are the parts of contiguous complex numbers in turn. */
function isReal({ heap }: KernelCall, parts: TensorView): boolean {
  const numbers = parts.dtype === "float64" ? heap.f64 : heap.f32;
  const first = addressOf(parts) / numbers.BYTES_PER_ELEMENT;
  for (let i = first + 1, end = first + 2 * numel(parts.shape); i < end; i += 2) if (numbers[i] !== 0) return false;
  return true;
}

/** Whether there is room for the passes over complex numbers that transform real ones, of which the last of `dims` is halved if it is even. */
function canPass(shape: readonly number[], dims: readonly number[]): boolean {
  const last = dims.at(-1)!;
  return dims.every((dim) => canTransform(dim === last && shape[dim]! % 2 === 0 ? shape[dim]! / 2 : shape[dim]!));
}

/** PyTorch numbers the normalizations: 0 is none, 1 divides by the square root of the count, 2 by the count. */
function scaleOf({ normalization }: FourierArgs, shape: readonly number[], dims: readonly number[]): number {
  const count = dims.reduce((n, dim) => n * shape[dim]!, 1);
  return normalization === 0 ? 1 : normalization === 1 ? 1 / Math.sqrt(count) : 1 / count;
}

/** Room for complex numbers between two passes, which are not rounded there. */
function wideRoom(call: KernelCall, shape: readonly number[]): TensorView {
  return call.temporary("complex128", shape);
}

/** Makes the steps to a whole spectrum of real numbers, or to its conjugate. */
function wholeSteps(
  call: KernelCall,
  self: TensorView,
  given: readonly number[],
  scale: number,
  out: TensorView,
  isConjugate = false,
): readonly Step[] {
  const dims = halvedLast(self.shape, given);
  const last = dims.at(-1)!;
  const half = wideRoom(call, self.shape.with(last, Math.floor(self.shape[last]! / 2) + 1));
  return [...halfSteps(call, self, dims, scale, half), mirroredStep(call, half, dims, out, isConjugate)];
}

/** Makes the steps to the first half, in the last of `dims`, of the spectrum of real numbers. */
function halfSteps(
  call: KernelCall,
  self: TensorView,
  dims: readonly number[],
  scale: number,
  out: TensorView,
): readonly Step[] {
  const [last, others] = [dims.at(-1)!, dims.slice(0, -1)];
  const first = others.length === 0 ? out : out.dtype === "complex128" ? out : wideRoom(call, out.shape);
  const real = spectrumStep(call, self, first, last, others.length === 0 ? scale : 1);
  const complex = others.map((dim, i) => {
    const isLast = i === others.length - 1;
    return complexStep(call, first, isLast ? out : first, dim, { forward: true, scale: isLast ? scale : 1 });
  });
  return [real, ...complex];
}

/** Makes the step from real numbers to the first halves of their spectra along a dimension, as host/real-fourier.ts computes them. */
function spectrumStep(call: KernelCall, self: TensorView, to: TensorView, dim: number, scale: number): Step {
  const { fourierRead, fourierReadReal, fourierSpectrum, fourierWriteHalf } = fourierKernels(call);
  const size = self.shape[dim]!;
  const [wideIn, wideOut] = [Number(self.dtype === "float64"), Number(to.dtype === "complex128")];
  if (size % 2 === 1) {
    return passStep(
      call,
      size,
      dim,
      self,
      to,
      ({ address, step, apart, count }, lane, next) =>
        fourierReadReal(address, apart, count, step, size, wideIn, lane, next),
      ({ address, step, apart, count }, lane, next) =>
        fourierWriteHalf(lane, next, (size + 1) / 2, scale, wideOut, address, apart, count, step),
    );
  }
  const half = size / 2;
  const roots = rootsOfUnity(call, half, size);
  return passStep(
    call,
    half,
    dim,
    self,
    to,
    ({ address, step, apart, count }, lane, next) =>
      fourierRead(address, apart, count, step, 2 * step, half, wideIn, 0, lane, next),
    ({ address, step, apart, count }, lane, next) =>
      fourierSpectrum(lane, next, size, addressOf(roots), scale, wideOut, address, apart, count, step),
  );
}

interface ComplexPass {
  readonly forward: boolean;
  readonly scale: number;
}

/** Makes the step that transforms complex numbers along a dimension. The inverse is the transform with parts exchanged before and after it. */
function complexStep(
  call: KernelCall,
  from: TensorView,
  to: TensorView,
  dim: number,
  { forward, scale }: ComplexPass,
): Step {
  const { fourierRead, fourierWrite } = fourierKernels(call);
  const size = from.shape[dim]!;
  const swapped = Number(!forward);
  const [wideIn, wideOut] = [from, to].map(({ dtype }) => Number(dtype === "complex128")) as [number, number];
  return passStep(
    call,
    size,
    dim,
    from,
    to,
    ({ address, step, apart, count }, lane, next) =>
      fourierRead(address, apart, count, 4 << wideIn, step, size, wideIn, swapped, lane, next),
    ({ address, step, apart, count }, lane, next) =>
      fourierWrite(lane, next, size, scale, swapped, wideOut, address, apart, count, 4 << wideOut, step),
  );
}

/** Makes the step to the inverse, in real numbers, of the first halves of spectra. */
function realStep(call: KernelCall, half: TensorView, out: TensorView, dim: number, scale: number): Step {
  const { fourierFold, fourierReadHalf, fourierWrite, fourierWriteReal } = fourierKernels(call);
  const size = out.shape[dim]!;
  const [wideIn, wideOut] = [Number(half.dtype === "complex128"), Number(out.dtype === "float64")];
  if (size % 2 === 1) {
    return passStep(
      call,
      size,
      dim,
      half,
      out,
      ({ address, step, apart, count }, lane, next) =>
        fourierReadHalf(address, apart, count, step, wideIn, size, lane, next),
      ({ address, step, apart, count }, lane, next) =>
        fourierWriteReal(lane, next, size, scale, wideOut, address, apart, count, step),
    );
  }
  const roots = rootsOfUnity(call, size / 2, size);
  return passStep(
    call,
    size / 2,
    dim,
    half,
    out,
    ({ address, step, apart, count }, lane, next) =>
      fourierFold(address, apart, count, step, wideIn, size, addressOf(roots), lane, next),
    ({ address, step, apart, count }, lane, next) =>
      fourierWrite(lane, next, size / 2, scale, 1, wideOut, address, apart, count, step, 2 * step),
  );
}
