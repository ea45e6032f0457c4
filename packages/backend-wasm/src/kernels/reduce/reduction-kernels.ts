import type { WasmKernel } from "../../engine/kernel.ts";
import { logcumsumexp } from "../scan/logcumsumexp.ts";
import { cummax, cummin } from "../scan/running-extremes.ts";
import { cumprod, cumsum } from "../scan/scan.ts";
import { argmaxAny, argminAny } from "./arg-extremes-any.ts";
import { GENERAL_REDUCTIONS } from "./reduce-any.ts";

/** Kernels of reductions that are not of floats, or of none, and of running ones. */
export const REDUCTION_KERNELS: readonly WasmKernel[] = [
  cumsum,
  cumprod,
  cummax,
  cummin,
  logcumsumexp,
  argmaxAny,
  argminAny,
  ...GENERAL_REDUCTIONS,
];
