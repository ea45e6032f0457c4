import type { OpRecord } from "../../op.ts";
import { EMBEDDING_OPS } from "./embedding.ts";
import { GATHER_OPS } from "./gather.ts";
import { INDEX_OPS } from "./index-ops.ts";
import { MASKED_OPS } from "./masked.ts";
import { REPEAT_INTERLEAVE_OPS } from "./repeat-interleave.ts";
import { SCATTER_OPS } from "./scatter.ts";

/** Ops that read and write at positions found in tensors. */
export const INDEXING_OPS: readonly OpRecord[] = [
  ...EMBEDDING_OPS,
  ...GATHER_OPS,
  ...INDEX_OPS,
  ...MASKED_OPS,
  ...REPEAT_INTERLEAVE_OPS,
  ...SCATTER_OPS,
];
