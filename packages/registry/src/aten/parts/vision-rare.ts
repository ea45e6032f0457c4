import type { OpRecord } from "../../op.ts";
import { BATCH_NORM_TRAINING_OPS } from "../norm/batch-norm-training.ts";
import { ADAPTIVE_MAX_POOL_OPS } from "../pool/adaptive-max-pool.ts";
import { UNPOOL_OPS } from "../pool/unpool.ts";
import { VOLUME_POOL_OPS } from "../pool/volume-pool.ts";

/** Ops that few vision programs use: normalization with batch statistics, 3-d pooling, unpooling. */
export const visionRareOps: readonly OpRecord[] = [
  ...BATCH_NORM_TRAINING_OPS,
  ...ADAPTIVE_MAX_POOL_OPS,
  ...UNPOOL_OPS,
  ...VOLUME_POOL_OPS,
];
