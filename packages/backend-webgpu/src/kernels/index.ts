import { HOST_KERNELS } from "@pt2/backend/host";
import type { WebgpuKernel } from "../engine/kernel.ts";
import { attention } from "./attention/attention.ts";
import { CONVOLUTIONS } from "./conv/index.ts";
import { cat } from "./copy/cat.ts";
import { reinterpret } from "./copy/reinterpret.ts";
import { asStridedScatter } from "./copy/scatter-views.ts";
import { arange, full } from "./factory/factory.ts";
import { hostKernel } from "./host/host-kernel.ts";
import { rand, randn } from "./host/random.ts";
import { INDEXING } from "./index/index.ts";
import { gcd, lcm } from "./integer/divisors.ts";
import { PRODUCTS } from "./matmul/index.ts";
import { NORMS } from "./norm/norm.ts";
import { POOLS } from "./pool/index.ts";
import { ARG_REDUCTIONS } from "./reduce/extreme.ts";
import { FOLDS } from "./reduce/fold.ts";
import { RUNNING_EXTREMES } from "./reduce/running-extreme.ts";
import { SCANS } from "./reduce/scan.ts";
import { RESIZES } from "./resize/index.ts";
import { SOFTMAX } from "./softmax/softmax.ts";
import { sort, topk } from "./sort/sort.ts";

/** The backend's own kernels: fast ones for few arguments before general ones. */
export const KERNELS: readonly WebgpuKernel[] = [
  cat,
  asStridedScatter,
  reinterpret,
  arange,
  full,
  ...CONVOLUTIONS,
  ...POOLS,
  ...RESIZES,
  ...NORMS,
  ...PRODUCTS,
  attention,
  ...SOFTMAX,
  gcd,
  lcm,
  ...INDEXING,
  ...FOLDS,
  ...ARG_REDUCTIONS,
  ...SCANS,
  ...RUNNING_EXTREMES,
  sort,
  topk,
  rand,
  randn,
  ...HOST_KERNELS.map(hostKernel),
];
