import type { OpRecord } from "../../op.ts";
import { FUSED_ATTENTION_OPS } from "../attention/fused.ts";
import { SCALED_DOT_PRODUCT_OPS } from "../attention/scaled-dot-product.ts";
import { SEQUENCE_OPS } from "../factory/sequence.ts";
import { EMBEDDING_OPS } from "../index/embedding.ts";
import { INDEX_OPS } from "../index/index-ops.ts";
import { LAYER_NORM_OPS } from "../norm/layer-norm.ts";
import { CONCAT_OPS } from "../shape/concat.ts";
import { SCALAR_OPS } from "../symbolic/scalars.ts";
import { SPLIT_OPS } from "../view/split.ts";

/** Ops that transformers use: attention, embeddings, normalization, concatenation and slicing. */
export const sequenceOps: readonly OpRecord[] = [
  ...FUSED_ATTENTION_OPS,
  ...SCALED_DOT_PRODUCT_OPS,
  ...SEQUENCE_OPS,
  ...EMBEDDING_OPS,
  ...INDEX_OPS,
  ...LAYER_NORM_OPS,
  ...CONCAT_OPS,
  ...SCALAR_OPS,
  ...SPLIT_OPS,
];
