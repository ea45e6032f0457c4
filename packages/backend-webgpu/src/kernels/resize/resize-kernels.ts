import type { WebgpuKernel } from "../../engine/kernel.ts";
import { resizeLinear, resizeNearest } from "./resize.ts";

/** Resizing of images. */
export const RESIZES: readonly WebgpuKernel[] = [resizeNearest, resizeLinear];
