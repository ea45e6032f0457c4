import type { WebgpuKernel } from "../../engine/kernel.ts";
import { convolution } from "./convolution.ts";

/** Convolutions. */
export const CONVOLUTIONS: readonly WebgpuKernel[] = [convolution];
