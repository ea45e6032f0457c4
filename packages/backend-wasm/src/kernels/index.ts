import type { DynamicKernel } from "../engine/dynamic-kernel.ts";
import type { WasmKernel } from "../engine/kernel.ts";
import { attention } from "./attention.ts";
import { bmm } from "./bmm.ts";
import { cat } from "./cat.ts";
import { convolution } from "./convolution.ts";
import { arange, full } from "./factory.ts";
import { groupNorm, layerNorm, rmsNorm } from "./layer-norm.ts";
import { addmm, linear, mm } from "./linear.ts";
import { adaptivePool, slidingPool } from "./pool.ts";
import { amax, amin, mean, sum } from "./reduce.ts";
import { resize } from "./resize.ts";
import { embedding, indexSelect } from "./select-rows.ts";
import { logSoftmax, softmax } from "./softmax.ts";

/** Every kernel of the backend, by family. */
export const KERNELS: readonly WasmKernel[] = [
  linear,
  mm,
  addmm,
  bmm,
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
  resize,
  cat,
  arange,
  full,
  embedding,
  indexSelect,
];

/** Ops whose result sizes depend on data. */
export const DYNAMIC_KERNELS: readonly DynamicKernel[] = [];
