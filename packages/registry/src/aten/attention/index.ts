import type { OpRecord } from "../../op.ts";
import { FUSED_ATTENTION_OPS } from "./fused.ts";
import { MULTI_HEAD_OPS } from "./multi-head.ts";
import { SCALED_DOT_PRODUCT_OPS } from "./scaled-dot-product.ts";

/** Attention, fused and by hand. */
export const ATTENTION_OPS: readonly OpRecord[] = [
  ...FUSED_ATTENTION_OPS,
  ...MULTI_HEAD_OPS,
  ...SCALED_DOT_PRODUCT_OPS,
];
