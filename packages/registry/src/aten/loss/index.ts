import type { OpRecord } from "../../op.ts";
import { CLASS_MARGIN_LOSS_OPS } from "./class-margin.ts";
import { CLASSIFICATION_LOSS_OPS } from "./classification.ts";
import { ELEMENTWISE_LOSS_OPS } from "./elementwise.ts";
import { MARGIN_LOSS_OPS } from "./margin.ts";

/** Losses. */
export const LOSS_OPS: readonly OpRecord[] = [
  ...CLASSIFICATION_LOSS_OPS,
  ...ELEMENTWISE_LOSS_OPS,
  ...MARGIN_LOSS_OPS,
  ...CLASS_MARGIN_LOSS_OPS,
];
