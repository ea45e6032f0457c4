import type { OpRecord } from "../../op.ts";
import { GRID_SAMPLE_OPS } from "./grid-sample.ts";
import { LINEAR_RESIZE_OPS } from "./linear.ts";
import { NEAREST_OPS } from "./nearest.ts";
import { PIXEL_OPS } from "./pixel.ts";

/** Resizing and resampling of images. */
export const RESIZE_OPS: readonly OpRecord[] = [...GRID_SAMPLE_OPS, ...LINEAR_RESIZE_OPS, ...NEAREST_OPS, ...PIXEL_OPS];
