import { HOST_KERNELS } from "@pt2/engine/host";
import type { WasmKernel } from "../engine/kernel.ts";
import { argmax, argmin } from "./arg-extremes.ts";
import { assertion } from "./assert.ts";
import { attention } from "./attention.ts";
import { bmm } from "./bmm.ts";
import { cat } from "./cat.ts";
import { convolution } from "./convolution.ts";
import { arange, full } from "./factory.ts";
import { gather } from "./gather.ts";
import { groupedMm } from "./grouped.ts";
import { hostKernel } from "./host-kernel.ts";
import { indexPutMask } from "./index-put-mask.ts";
import { indexPut, indexTensor } from "./index-tensor.ts";
import { gcd, lcm } from "./integers.ts";
import { groupNorm, layerNorm, rmsNorm } from "./layer-norm.ts";
import { addmm, linear, mm } from "./linear.ts";
import { matmulAny } from "./matmul-any.ts";
import { matmulComplex } from "./matmul-complex.ts";
import { adaptivePool, slidingPool } from "./pool.ts";
import { poolAny } from "./pool-any.ts";
import { amax, amin, mean, sum } from "./reduce.ts";
import { GENERAL_REDUCTIONS } from "./reduce-any.ts";
import { reinterpret } from "./reinterpret.ts";
import { resize } from "./resize.ts";
import { cumprod, cumsum } from "./scan.ts";
import { scatter, scatterReduce } from "./scatter.ts";
import { asStridedScatter } from "./scatter-views.ts";
import { embedding, indexSelect } from "./select-rows.ts";
import { logSoftmax, softmax } from "./softmax.ts";
import { selections, sort, topk } from "./sort.ts";

/** Every kernel of the backend, by family. */
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
  resize,
  cat,
  arange,
  full,
  embedding,
  indexSelect,
  gather,
  scatter,
  scatterReduce,
  indexTensor,
  indexPut,
  asStridedScatter,
  cumsum,
  cumprod,
  sort,
  topk,
  selections,
  matmulAny,
  ...GENERAL_REDUCTIONS,
  reinterpret,
  poolAny,
  indexPutMask,
  assertion,
  matmulComplex,
  gcd,
  lcm,
  ...HOST_KERNELS.map(hostKernel),
];
