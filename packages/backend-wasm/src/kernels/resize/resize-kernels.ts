import type { WasmKernel } from "../../engine/kernel.ts";
import { resize } from "./resize.ts";
import { RESAMPLING_KERNELS } from "./resize-exact.ts";

/** Kernels that resize images. */
export const RESIZE_KERNELS: readonly WasmKernel[] = [resize, ...RESAMPLING_KERNELS];
