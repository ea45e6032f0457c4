import type { WebgpuKernel } from "../engine/kernel.ts";

/** The backend's own kernels. */
export const KERNELS: readonly WebgpuKernel[] = [];
