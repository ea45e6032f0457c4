import type { WebgpuKernel } from "../../engine/kernel.ts";
import { complexMatmul } from "./complex-matmul.ts";
import { groupedMm } from "./grouped.ts";
import { integerMatmul } from "./integer-matmul.ts";

/** Products of integers and of complex numbers, and of groups of rows. */
export const SPECIAL_MATMULS: readonly WebgpuKernel[] = [integerMatmul, complexMatmul, groupedMm];
