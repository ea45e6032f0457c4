import { convolutionAny } from "./convolution.ts";
import { ctcLoss } from "./ctc.ts";
import { FOURIER } from "./fourier-kernels.ts";
import { histogram } from "./histogram.ts";
import type { HostKernel } from "./host-kernel.ts";
import { LINALG } from "./linalg/kernels.ts";
import { complexLogCumulative } from "./log-cumulative.ts";
import { nonzeroStatic } from "./nonzero-static.ts";
import { orderSelections } from "./order.ts";
import { POOL_BACKWARD } from "./pool-backward.ts";
import { RANDOM_KERNELS } from "./random/kernels.ts";
import { resizeBytes } from "./resize-bytes.ts";
import { scatterComplex } from "./scatter-complex.ts";
import { combinations, frexp, segmentReduce } from "./segment.ts";
import { SPECIAL } from "./special/kernels.ts";
import { trilIndices, triuIndices } from "./triangle-indices.ts";

/** Every host kernel. The kernels of a backend come before these. */
export const HOST_KERNELS: readonly HostKernel[] = [
  ...LINALG,
  ...FOURIER,
  ...SPECIAL,
  ...RANDOM_KERNELS,
  ...POOL_BACKWARD,
  ...resizeBytes,
  convolutionAny,
  ctcLoss,
  ...orderSelections,
  histogram,
  complexLogCumulative,
  scatterComplex,
  segmentReduce,
  combinations,
  frexp,
  nonzeroStatic,
  trilIndices,
  triuIndices,
];
