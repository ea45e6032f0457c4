import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { isComplex, isIntegral } from "../support/dtypes.ts";
import { emit } from "../support/emit.ts";

/** Defines the short-time Fourier transform: a signal is cut into frames, and each is transformed. */
export const STFT_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::stft(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor",
    { decompose: (args, b) => stft(b, args) },
  ),
  defineOp(
    'aten::stft.center(Tensor self, int n_fft, int? hop_length=None, int? win_length=None, Tensor? window=None, bool center=True, str pad_mode="reflect", bool normalized=False, bool? onesided=None, bool? return_complex=None, bool? align_to_window=None) -> Tensor',
    {
      decompose: ({ center, pad_mode, ...args }, b) => {
        check(!center || args.align_to_window === null, "stft: align_to_window should only be set when center = false");
        if (!center) return stft(b, args);
        const side = Math.floor(args.n_fft / 2);
        const e = emit(b);
        // Reflection padding needs a dimension before the one that it pads.
        const signal = e.unsqueeze(args.self, 0);
        const padded = b.tensor("aten::pad", { self: signal, pad: [side, side], mode: pad_mode });
        return stft(b, { ...args, self: e.squeeze(padded, 0) });
      },
    },
  ),
];

interface Stft {
  readonly self: TensorMeta;
  readonly n_fft: number;
  readonly hop_length: number | null;
  readonly win_length: number | null;
  readonly window: TensorMeta | null;
  readonly normalized: boolean;
  readonly onesided: boolean | null;
  readonly return_complex: boolean | null;
  /** Whether the first frame begins where its window does, rather than where the transform does. */
  readonly align_to_window: boolean | null;
}

function stft(b: Builder, args: Stft): TensorMeta {
  const { self, n_fft, normalized } = args;
  const e = emit(b);
  const hop = args.hop_length ?? Math.floor(n_fft / 4);
  const length = self.shape.at(-1) ?? 0;
  check(
    !isIntegral(self.dtype),
    () => `stft: expected a tensor of floating point or complex values, got ${self.dtype}`,
  );
  const isComplexCall = isComplex(self.dtype) || (args.window !== null && isComplex(args.window.dtype));
  check(!isComplexCall || args.onesided !== true, "Cannot have onesided output if window or input is complex");
  check(
    isComplexCall || args.return_complex !== null,
    "stft requires the return_complex parameter be given for real inputs",
  );
  check(
    self.shape.length === 1 || self.shape.length === 2,
    () => `stft: expected a 1D or 2D tensor, got ${show(self.shape)}`,
  );
  check(n_fft > 0 && n_fft <= length, () => `stft: expected 0 < n_fft <= ${length}, but got n_fft=${n_fft}`);
  check(hop > 0, () => `stft: expected hop_length > 0, but got hop_length=${hop}`);
  const beside = args.align_to_window === true ? n_fft - (args.win_length ?? n_fft) : 0;
  const pad = [Math.floor(beside / 2), Math.ceil(beside / 2)];
  const signal = beside > 0 ? b.tensor("aten::constant_pad_nd", { self, pad, value: 0 }) : self;
  const frames = b.tensor("aten::unfold", { self: signal, dimension: -1, size: n_fft, step: hop });
  const window = paddedWindow(b, args);
  const windowed = window === null ? frames : e.mul(frames, window);
  const complex = isComplex(windowed.dtype);
  const common = { self: windowed, dim: [windowed.shape.length - 1], normalization: normalized ? 1 : 0 };
  const spectrum = complex
    ? b.tensor("aten::_fft_c2c", { ...common, forward: true })
    : b.tensor("aten::_fft_r2c", { ...common, onesided: args.onesided ?? true });
  const result = e.transpose(spectrum, -2, -1);
  return (args.return_complex ?? complex) ? result : b.tensor("aten::view_as_real", { self: result });
}

/** Centers a window that is shorter than the transform. */
export function paddedWindow(
  b: Builder,
  { n_fft, win_length, window, self }: Pick<Stft, "n_fft" | "win_length" | "window" | "self">,
): TensorMeta | null {
  const size = win_length ?? n_fft;
  check(size > 0 && size <= n_fft, () => `stft: expected 0 < win_length <= n_fft, but got win_length=${size}`);
  check(
    window === null || window.shape[0] === size,
    () => `stft: expected a window of ${size} elements, got ${show(window!.shape)}`,
  );
  if (size === n_fft) return window;
  const left = Math.floor((n_fft - size) / 2);
  const values = window ?? emit(b).full([size], 1, self.dtype);
  return b.tensor("aten::constant_pad_nd", { self: values, pad: [left, n_fft - size - left], value: 0 });
}
