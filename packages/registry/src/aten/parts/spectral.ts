import type { OpRecord } from "../../op.ts";
import { FFT_OPS } from "../fft/fft.ts";
import { FREQUENCY_OPS } from "../fft/frequencies.ts";
import { HERMITIAN_FFT_OPS } from "../fft/hermitian.ts";
import { ISTFT_OPS } from "../fft/istft.ts";
import { STFT_OPS } from "../fft/stft.ts";

/** Fourier transforms. */
export const spectralOps: readonly OpRecord[] = [
  ...FFT_OPS,
  ...FREQUENCY_OPS,
  ...HERMITIAN_FFT_OPS,
  ...STFT_OPS,
  ...ISTFT_OPS,
];
