import type { WasmKernel } from "../engine/kernel.ts";
import { convolutionAny } from "./conv/convolution-any.ts";
import { complexJoin, complexPart } from "./copy/complex.ts";
import { FOURIER_KERNELS } from "./fourier/fourier.ts";
import { DIVISORS } from "./integers.ts";
import { matmulAny } from "./matmul/matmul-any.ts";
import { matmulComplex } from "./matmul/matmul-complex.ts";
import { poolAny } from "./pool/pool-any.ts";
import { DRAW_KERNELS } from "./random/draws.ts";
import { NORMAL_KERNELS } from "./random/normal.ts";

/** Kernels of ops, and of dtypes, that few programs have. They load together: a page that has none of them knows of one file less each. */
export const RARE_KERNELS: readonly WasmKernel[] = [
  ...DIVISORS,
  ...FOURIER_KERNELS,
  ...NORMAL_KERNELS,
  ...DRAW_KERNELS,
  convolutionAny,
  matmulAny,
  matmulComplex,
  poolAny,
  complexPart,
  complexJoin,
];
