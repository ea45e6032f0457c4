import { HOST_KERNELS } from "@pt2/engine/host";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { hostKernel } from "./host-kernel.ts";

/** Kernels of all backends for rare ops. */
export const HOST: readonly WebgpuKernel[] = HOST_KERNELS.map(hostKernel);
