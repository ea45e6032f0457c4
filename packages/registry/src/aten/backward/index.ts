import type { OpRecord } from "../../op.ts";
import { BACKWARD_OPS } from "./backward.ts";
import { BATCH_NORM_BACKWARD_OPS } from "./batch-norm.ts";
import { CONVOLUTION_BACKWARD_OPS } from "./convolution.ts";

/** Backward ops. */
export const GRADIENT_OPS: readonly OpRecord[] = [
  ...BACKWARD_OPS,
  ...BATCH_NORM_BACKWARD_OPS,
  ...CONVOLUTION_BACKWARD_OPS,
];
