import type { OpRecord } from "../../op.ts";
import { CONVOLUTION_OPS } from "../conv/convolution.ts";
import { BATCH_NORM_OPS } from "../norm/batch-norm.ts";
import { ADAPTIVE_POOL_OPS } from "../pool/adaptive-pool.ts";
import { AVG_POOL_OPS } from "../pool/avg-pool.ts";
import { MAX_POOL_OPS } from "../pool/max-pool.ts";

/** Convolutions, batch norm in eval mode, 2-d pooling. */
export const visionOps: readonly OpRecord[] = [
  ...CONVOLUTION_OPS,
  ...BATCH_NORM_OPS,
  ...ADAPTIVE_POOL_OPS,
  ...AVG_POOL_OPS,
  ...MAX_POOL_OPS,
];
