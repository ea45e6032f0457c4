import type { WasmKernel } from "../../engine/kernel.ts";
import { intMm } from "./int-mm.ts";
import { linearInt8 } from "./linear-int8.ts";

/** Products with matrices of int8. */
export const INT8_KERNELS: readonly WasmKernel[] = [intMm, linearInt8];
