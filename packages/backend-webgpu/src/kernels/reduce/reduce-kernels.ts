import type { WebgpuKernel } from "../../engine/kernel.ts";
import { ARG_REDUCTIONS } from "./arg-extremes.ts";
import { PLAIN_REDUCTIONS } from "./reduce.ts";

/** Reductions over any dimensions. */
export const REDUCTIONS: readonly WebgpuKernel[] = [...PLAIN_REDUCTIONS, ...ARG_REDUCTIONS];
