import type { WasmKernel } from "../../engine/kernel.ts";
import { cummax, cummin, cumprod, cumsum, cumsumAny, logcumsumexp } from "../scan/scan.ts";
import { GENERAL_REDUCTIONS } from "./reduce-any.ts";
import { INT_REDUCTIONS } from "./reduce-ints.ts";

/** Kernels of reductions that are not of floats, or of none, and of running ones. */
export const REDUCTION_KERNELS: readonly WasmKernel[] = [
  cumsum,
  cumsumAny,
  cumprod,
  cummax,
  cummin,
  logcumsumexp,
  ...INT_REDUCTIONS,
  ...GENERAL_REDUCTIONS,
];
