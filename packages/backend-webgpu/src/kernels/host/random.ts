import { RANDOM_KERNELS } from "@pt2/backend/host";
import type { WebgpuKernel } from "../../engine/kernel.ts";
import { hostKernel } from "./host-kernel.ts";

/** Random numbers, drawn on the host as every backend draws them. */
export const RANDOM: readonly WebgpuKernel[] = RANDOM_KERNELS.map(hostKernel);
