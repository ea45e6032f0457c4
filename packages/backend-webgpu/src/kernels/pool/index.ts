import type { WebgpuKernel } from "../../engine/kernel.ts";
import { POOL_GRADIENTS } from "./backward.ts";
import { adaptivePool, slidingPool } from "./pool.ts";

/** Poolings, and the gradients of means. */
export const POOLS: readonly WebgpuKernel[] = [slidingPool, adaptivePool, ...POOL_GRADIENTS];
