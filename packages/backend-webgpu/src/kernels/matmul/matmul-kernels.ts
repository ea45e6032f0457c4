import type { WebgpuKernel } from "../../engine/kernel.ts";
import { addmm, bmm, linear, mm } from "./linear.ts";

/** Products of matrices of floats. */
export const MATMULS: readonly WebgpuKernel[] = [linear, mm, addmm, bmm];
