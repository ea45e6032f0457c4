import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check } from "../support/check.ts";
import { dimsOf, lengths, type Norm, normalization, resize, type Sizes, toComplex, toFloat } from "./fft.ts";

/** Defines the transforms of Hermitian signals, which are stored as one half and have a real spectrum. */
export const HERMITIAN_FFT_OPS: readonly OpRecord[] = [
  defineOp("aten::fft_hfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) => toReal(b, self, lengths(n), [dim], norm),
  }),
  defineOp("aten::fft_hfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => toReal(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_hfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => toReal(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_ihfft(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", {
    decompose: ({ self, n, dim, norm }, b) => fromReal(b, self, lengths(n), [dim], norm),
  }),
  defineOp("aten::fft_ihfft2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2, -1], str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => fromReal(b, self, s, dim, norm),
  }),
  defineOp("aten::fft_ihfftn(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", {
    decompose: ({ self, s, dim, norm }, b) => fromReal(b, self, s, dim, norm),
  }),
];

/** Computes the forward transform as the inverse transform of the conjugate. */
function toReal(b: Builder, self: TensorMeta, sizes: Sizes, dim: Sizes, norm: Norm): TensorMeta {
  const dims = dimsOf(self, sizes, dim);
  const [others, last] = [dims.slice(0, -1), dims.at(-1)!];
  const given = sizes?.at(-1) ?? -1;
  const size = given === -1 ? 2 * (self.shape[last]! - 1) : given;
  check(size > 0, () => `Invalid number of data points (${size}) specified`);
  const spectrum = [...(sizes ?? dims.map(() => -1)).slice(0, -1), Math.floor(size / 2) + 1];
  const mode = { normalization: normalization(norm, true) };
  const half = resize(b, toComplex(b, self), spectrum, dims);
  const x =
    others.length === 0 ? half : b.tensor("aten::_fft_c2c", { self: half, dim: others, ...mode, forward: true });
  const conjugate = b.tensor("aten::conj_physical", { self: x });
  return b.tensor("aten::_fft_c2r", { self: conjugate, dim: [last], ...mode, last_dim_size: size });
}

function fromReal(b: Builder, self: TensorMeta, sizes: Sizes, dim: Sizes, norm: Norm): TensorMeta {
  const dims = dimsOf(self, sizes, dim);
  const [others, last] = [dims.slice(0, -1), dims.at(-1)!];
  const mode = { normalization: normalization(norm, false) };
  const x = resize(b, toFloat(b, self), sizes, dims);
  const half = b.tensor("aten::_fft_r2c", { self: x, dim: [last], ...mode, onesided: true });
  const conjugate = b.tensor("aten::conj_physical", { self: half });
  if (others.length === 0) return conjugate;
  return b.tensor("aten::_fft_c2c", { self: conjugate, dim: others, ...mode, forward: false });
}
