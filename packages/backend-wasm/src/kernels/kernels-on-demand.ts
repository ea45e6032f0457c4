import { HOST_OPS, KernelParts } from "@pt2/engine";
import type { WasmKernel } from "../engine/kernel.ts";
import { KERNELS } from "./all-kernels.ts";

/** The backend's own kernels: those of rare ops load with the first one. */
export const KERNEL_PARTS: KernelParts<WasmKernel> = new KernelParts([
  { ops: /^/, load: async () => KERNELS },
  { ops: HOST_OPS, load: async () => await (await import("./host-kernels.ts")).hostKernels() },
]);
