import type { WebgpuKernel } from "../../engine/kernel.ts";
import { intMm } from "./int-mm.ts";
import { linearInt8 } from "./linear-int8.ts";

/** Products with int8 matrices, which keep a byte for each element. */
export const INT8_KERNELS: readonly WebgpuKernel[] = [intMm, linearInt8];
