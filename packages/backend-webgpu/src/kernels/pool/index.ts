import type { WebgpuKernel } from "../../engine/kernel.ts";
import { adaptivePool, slidingPool } from "./pool.ts";

/** Poolings. */
export const POOLS: readonly WebgpuKernel[] = [slidingPool, adaptivePool];
