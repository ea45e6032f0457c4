import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { joinParts, partsOf } from "../support/complex-parts.ts";
import { isComplex } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";
import { paddedWindow } from "./stft.ts";

/** Defines the inverse short-time Fourier transform: frames are transformed back and added where they overlap. */
export const ISTFT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::istft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, bool normalized=False, bool? onesided=None, int? length=None, bool return_complex=False) -> Tensor",
    {
      decompose({ self, n_fft, hop_length, win_length, window, center, normalized, length, ...args }, b) {
        const e = emit(b);
        const hop = hop_length ?? Math.floor(n_fft / 4);
        const [frequencies, frames] = self.shape.slice(-2) as [number, number];
        const rank = self.shape.length;
        const onesided = args.onesided ?? frequencies !== n_fft;
        const wanted = onesided ? Math.floor(n_fft / 2) + 1 : n_fft;
        check(
          isComplex(self.dtype),
          "istft requires a complex-valued input tensor matching the output from stft with return_complex=True.",
        );
        check(
          rank === 2 || rank === 3,
          () => `istft: expected a tensor with 2 or 3 dimensions, got ${show(self.shape)}`,
        );
        check(
          frequencies === wanted,
          () => `istft: expected the frequency dimension to be ${wanted}, but got ${frequencies}`,
        );
        check(
          hop > 0 && hop <= (win_length ?? n_fft),
          () => `istft: expected 0 < hop_length <= win_length, got ${hop}`,
        );
        check(length === null || length > 0, () => `istft: expected length > 0, but got ${length}`);
        check(
          args.return_complex || window === null || !isComplex(window.dtype),
          "istft: Complex windows are incompatible with return_complex=False",
        );
        check(!args.return_complex || !onesided, "istft: cannot have onesided output if window or input is complex");
        const spectrum = e.transpose(rank === 2 ? e.unsqueeze(self, 0) : self, 1, 2);
        const pieces = transformedBack(b, spectrum, { n_fft, normalized, onesided, complex: args.return_complex });
        const real = partsOf(spectrum, b).re as TensorMeta;
        const shape = paddedWindow(b, { self: real, n_fft, win_length, window }) ?? e.full([n_fft], 1, real.dtype);
        const weights = e.expand(e.reshape(e.mul(shape, shape), [1, 1, n_fft]), [1, frames, n_fft]);
        const total = n_fft + hop * (frames - 1);
        const signal = overlapped(b, e.mul(pieces, shape), total, hop);
        const start = center ? Math.floor(n_fft / 2) : 0;
        const end = length !== null ? start + length : center ? total - Math.floor(n_fft / 2) : total;
        const cut = (x: TensorMeta): TensorMeta => e.slice(x, 1, start, Math.min(end, total));
        const result = e.div(cut(signal), cut(overlapped(b, weights, total, hop)));
        const missing = end - total;
        const padded =
          missing > 0 ? b.tensor("aten::constant_pad_nd", { self: result, pad: [0, missing], value: 0 }) : result;
        return rank === 2 ? e.squeeze(padded, 0) : padded;
      },
    },
  ),
];

interface Spectrum {
  readonly n_fft: number;
  readonly normalized: boolean;
  readonly onesided: boolean;
  /** Whether the signal is complex. */
  readonly complex: boolean;
}

function transformedBack(
  b: Builder,
  spectrum: TensorMeta,
  { n_fft, normalized, onesided, complex }: Spectrum,
): TensorMeta {
  const common = { dim: [2], normalization: normalized ? 1 : 2 };
  if (complex) return b.tensor("aten::_fft_c2c", { self: spectrum, ...common, forward: false });
  const half = onesided ? spectrum : emit(b).slice(spectrum, 2, 0, Math.floor(n_fft / 2) + 1);
  return b.tensor("aten::_fft_c2r", { self: half, ...common, last_dim_size: n_fft });
}

/** Adds frames `[batch, frames, size]` at their positions in the signal. */
function overlapped(b: Builder, frames: TensorMeta, total: number, hop: number): TensorMeta {
  const e = emit(b);
  if (isComplex(frames.dtype)) {
    const { re, im } = partsOf(frames, b);
    const [x, y] = [re, im].map((part) => overlapped(b, part as TensorMeta, total, hop)) as [TensorMeta, TensorMeta];
    return joinParts({ re: x, im: y }, { dtype: frames.dtype, shape: x.shape }, b);
  }
  const [batch, , size] = frames.shape as readonly [number, number, number];
  const folded = b.tensor("aten::col2im", {
    self: e.transpose(frames, 1, 2),
    output_size: [1, total],
    kernel_size: [1, size],
    dilation: [1, 1],
    padding: [0, 0],
    stride: [1, hop],
  });
  return e.reshape(folded, [batch, total]);
}
