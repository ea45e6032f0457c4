import type { OpRecord } from "../../op.ts";
import { BATCH_NORM_OPS } from "./batch-norm.ts";
import { LAYER_NORM_OPS } from "./layer-norm.ts";

/** Normalisation layers. */
export const NORMALIZATION_OPS: readonly OpRecord[] = [...BATCH_NORM_OPS, ...LAYER_NORM_OPS];
