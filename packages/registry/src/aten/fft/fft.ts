import type { Builder } from "../../builder.ts";
import { complexOf, partOf } from "../../dtype-promotion.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { range, wrapDim } from "../support/dims.ts";
import { isComplex, isFloat, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines the Fourier transforms. A backend provides `_fft_r2c`, `_fft_c2r` and `_fft_c2c`. */
export const FFT_OPS: readonly OpRecord[] = [
  defineOp("aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", {
    infer: ({ self, dim, onesided }) => {
      check(isFloat(self.dtype), () => `_fft_r2c: expected a floating point tensor, got ${self.dtype}`);
      checkDims("_fft_r2c", self, dim);
      check(dim.length > 0, "_fft_r2c: expected a dimension to transform");
      const last = dim.at(-1)!;
      const half = (n: number): number => Math.floor(n / 2) + 1;
      return { dtype: complexOf(self.dtype), shape: self.shape.map((n, d) => (onesided && d === last ? half(n) : n)) };
    },
  }),
  defineOp("aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor", {
    infer: ({ self, dim, last_dim_size }) => {
      check(isComplex(self.dtype), () => `_fft_c2r: expected a complex tensor, got ${self.dtype}`);
      checkDims("_fft_c2r", self, dim);
      check(dim.length > 0, "_fft_c2r: expected a dimension to transform");
      const last = dim.at(-1)!;
      check(
        self.shape[last] === Math.floor(last_dim_size / 2) + 1,
        () => `_fft_c2r: half of a spectrum of ${last_dim_size} points is not ${self.shape[last]} long`,
      );
      return { dtype: partOf(self.dtype), shape: self.shape.map((n, d) => (d === last ? last_dim_size : n)) };
    },
  }),
  defineOp("aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", {
    infer: ({ self, dim }) => {
      checkDims("_fft_c2c", self, dim);
      check(isComplex(self.dtype), () => `_fft_c2c: expected a complex tensor, got ${self.dtype}`);
      return { dtype: self.dtype, shape: self.shape };
    },
  }),
  defineOp("aten::fft_fft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) =>
      isComplex(self.dtype)
        ? complexTransform(b, self, lengths(n), [dim], norm, true)
        : realTransform(b, self, lengths(n), [dim], norm, false),
  }),
  defineOp("aten::fft_ifft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) => complexTransform(b, self, lengths(n), [dim], norm, false),
  }),
  defineOp("aten::fft_fft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => complexTransform(b, self, s, dim, norm, true),
  }),
  defineOp("aten::fft_ifft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => complexTransform(b, self, s, dim, norm, false),
  }),
  defineOp("aten::fft_fftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => complexTransform(b, self, s, dim, norm, true),
  }),
  defineOp("aten::fft_ifftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => complexTransform(b, self, s, dim, norm, false),
  }),
  defineOp("aten::fft_rfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) => realTransform(b, self, lengths(n), [dim], norm),
  }),
  defineOp("aten::fft_rfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => realTransform(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_rfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => realTransform(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_irfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) => inverseReal(b, self, lengths(n), [dim], norm),
  }),
  defineOp("aten::fft_irfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => inverseReal(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_irfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => inverseReal(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_fftshift(Tensor self, int[1]? dim=None) -> Tensor", {
    decompose: ({ self, dim }, b) => shift(b, self, dim, (n) => Math.floor(n / 2)),
  }),
  defineOp("aten::fft_ifftshift(Tensor self, int[1]? dim=None) -> Tensor", {
    decompose: ({ self, dim }, b) => shift(b, self, dim, (n) => Math.ceil(n / 2)),
  }),
];

/** Checks what PyTorch's own callers ensure: non-negative dimensions without duplicates, none of them empty. */
function checkDims(op: string, self: TensorMeta, dim: readonly number[]): void {
  check(
    new Set(dim).size === dim.length && dim.every((d) => d >= 0 && d < self.shape.length),
    () => `${op}: dimensions of ${show(self.shape)} must be counted from the front, each once, got ${show(dim)}`,
  );
  check(
    dim.every((d) => self.shape[d]! > 0),
    () => `Invalid number of data points (0) specified`,
  );
}

/** The normalization mode of a transform. */
export type Norm = string | null;
/** Lengths or dimensions; null means all. */
export type Sizes = readonly number[] | null;

/** Wraps the length of a 1-d transform. */
export function lengths(n: number | null): Sizes {
  check(n === null || n > 0, () => `Invalid number of data points (${n}) specified`);
  return n === null ? null : [n];
}

/** Returns PyTorch's number of a normalization: 0 is none, 1 divides by the root of n, 2 divides by n. */
export function normalization(norm: Norm, forward: boolean): number {
  if (norm === "ortho") return 1;
  check(norm === null || norm === "backward" || norm === "forward", () => `Invalid normalization mode: "${norm}"`);
  return (norm === "forward") === forward ? 2 : 0;
}

/** Returns the dimensions to transform; if only sizes are given, these are the last dimensions. */
export function dimsOf(self: TensorMeta, sizes: Sizes, dim: Sizes): readonly number[] {
  const rank = self.shape.length;
  const dims = dim ?? range(rank).slice(sizes === null ? 0 : rank - sizes.length);
  check(rank > 0 || dims.length === 0, "fft: dimensions given for a tensor without any");
  return dims.map((d) => wrapDim(d, rank));
}

/** Truncates or pads with zeros; -1 keeps a size. */
export function resize(b: Builder, self: TensorMeta, sizes: Sizes, dims: readonly number[]): TensorMeta {
  const e = emit(b);
  return dims.reduce((x, d, i) => {
    const [size, wanted] = [x.shape[d]!, sizes?.[i] ?? -1];
    if (wanted === -1 || wanted === size) return x;
    check(wanted > 0, () => `Invalid number of data points (${wanted}) specified`);
    if (wanted < size) return e.slice(x, d, 0, wanted);
    const pad = [...new Array<number>(2 * (x.shape.length - 1 - d)).fill(0), 0, wanted - size];
    return b.tensor("aten::constant_pad_nd", { self: x, pad, value: 0 });
  }, self);
}

/** Converts integers to the default floating point dtype. */
export function toFloat(b: Builder, self: TensorMeta): TensorMeta {
  return isIntegral(self.dtype) ? emit(b).cast(self, "float32") : self;
}

/** Converts to a complex tensor. */
export function toComplex(b: Builder, self: TensorMeta): TensorMeta {
  const x = toFloat(b, self);
  return isComplex(x.dtype) ? x : emit(b).cast(x, complexOf(x.dtype));
}

function complexTransform(
  b: Builder,
  self: TensorMeta,
  sizes: Sizes,
  dim: Sizes,
  norm: Norm,
  forward: boolean,
): TensorMeta {
  const dims = dimsOf(self, sizes, dim);
  const x = resize(b, toComplex(b, self), sizes, dims);
  return b.tensor("aten::_fft_c2c", { self: x, dim: dims, normalization: normalization(norm, forward), forward });
}

function realTransform(
  b: Builder,
  self: TensorMeta,
  sizes: Sizes,
  dim: Sizes,
  norm: Norm,
  onesided = true,
): TensorMeta {
  check(!isComplex(self.dtype), () => `rfft expects a real input tensor, but got ${self.dtype}`);
  const dims = dimsOf(self, sizes, dim);
  const x = resize(b, toFloat(b, self), sizes, dims);
  return b.tensor("aten::_fft_r2c", { self: x, dim: dims, normalization: normalization(norm, true), onesided });
}

/** Computes the real inverse transform; the last dimension holds one half of a Hermitian spectrum. */
function inverseReal(b: Builder, self: TensorMeta, sizes: Sizes, dim: Sizes, norm: Norm): TensorMeta {
  const dims = dimsOf(self, sizes, dim);
  const given = sizes?.at(-1) ?? -1;
  const last = given === -1 ? 2 * (self.shape[dims.at(-1)!]! - 1) : given;
  check(last > 0, () => `Invalid number of data points (${last}) specified`);
  const spectrum = [...(sizes ?? dims.map(() => -1)).slice(0, -1), Math.floor(last / 2) + 1];
  const x = resize(b, toComplex(b, self), spectrum, dims);
  return b.tensor("aten::_fft_c2r", {
    self: x,
    dim: dims,
    normalization: normalization(norm, false),
    last_dim_size: last,
  });
}

function shift(b: Builder, self: TensorMeta, dim: Sizes, by: (size: number) => number): TensorMeta {
  const dims = dimsOf(self, null, dim);
  return b.tensor("aten::roll", { self, shifts: dims.map((d) => by(self.shape[d]!)), dims });
}
