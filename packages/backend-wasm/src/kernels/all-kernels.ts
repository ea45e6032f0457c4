import type { WasmKernel } from "../engine/kernel.ts";
import { attention } from "./attention/attention.ts";
import { convolution } from "./conv/convolution.ts";
import { cat } from "./copy/cat.ts";
import { reinterpret } from "./copy/reinterpret.ts";
import { asStridedScatter } from "./copy/scatter-views.ts";
import { arange, full } from "./factory.ts";
import { assertion } from "./index/assert.ts";
import { bmm } from "./matmul/bmm.ts";
import { groupedMm } from "./matmul/grouped.ts";
import { addmm, linear, mm } from "./matmul/linear.ts";
import { groupNorm, layerNorm, rmsNorm } from "./norm/layer-norm.ts";
import { adaptivePool, slidingPool } from "./pool/pool.ts";
import { argmax, argmin } from "./reduce/arg-extremes.ts";
import { amax, amin, mean, sum } from "./reduce/reduce.ts";
import { logSoftmax, softmax } from "./softmax.ts";

/** The kernels of the backend that load with it, by family. */
export const KERNELS: readonly WasmKernel[] = [
  linear,
  mm,
  addmm,
  bmm,
  groupedMm,
  convolution,
  attention,
  softmax,
  logSoftmax,
  layerNorm,
  rmsNorm,
  groupNorm,
  slidingPool,
  adaptivePool,
  sum,
  mean,
  amax,
  amin,
  argmax,
  argmin,
  cat,
  arange,
  full,
  asStridedScatter,
  reinterpret,
  assertion,
];
