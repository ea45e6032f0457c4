import type { OpRecord } from "../../op.ts";
import { GRID_SAMPLE_OPS } from "../resize/grid-sample.ts";
import { GRID_SAMPLE_BACKWARD_OPS } from "../resize/grid-sample-backward.ts";
import { LINEAR_RESIZE_OPS } from "../resize/linear.ts";
import { NEAREST_OPS } from "../resize/nearest.ts";
import { PIXEL_OPS } from "../resize/pixel.ts";
import { RESIZE_BACKWARD_OPS } from "../resize/resize-backward.ts";

/** Ops that resize and resample images. */
export const resamplingOps: readonly OpRecord[] = [
  ...GRID_SAMPLE_OPS,
  ...GRID_SAMPLE_BACKWARD_OPS,
  ...RESIZE_BACKWARD_OPS,
  ...LINEAR_RESIZE_OPS,
  ...NEAREST_OPS,
  ...PIXEL_OPS,
];
