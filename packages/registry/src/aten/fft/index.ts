import type { OpRecord } from "../../op.ts";
import { FFT_OPS } from "./fft.ts";
import { HERMITIAN_FFT_OPS } from "./hermitian.ts";
import { STFT_OPS } from "./stft.ts";

/** Fourier transforms. */
export const SPECTRAL_OPS: readonly OpRecord[] = [...FFT_OPS, ...HERMITIAN_FFT_OPS, ...STFT_OPS];
