import type { OpRecord } from "../../op.ts";
import { CONCAT_OPS } from "./concat.ts";
import { DIAGONAL_OPS } from "./diagonal.ts";
import { DIFFERENCE_OPS } from "./difference.ts";
import { FLIP_OPS } from "./flip.ts";
import { PAD_OPS } from "./pad.ts";
import { REPEAT_OPS } from "./repeat.ts";
import { RESIZE_OPS } from "./resize.ts";
import { SCATTER_VIEW_OPS } from "./scatter-view.ts";

/** Ops that join, repeat, reorder and pad. */
export const SHAPE_OPS: readonly OpRecord[] = [
  ...CONCAT_OPS,
  ...REPEAT_OPS,
  ...DIAGONAL_OPS,
  ...DIFFERENCE_OPS,
  ...FLIP_OPS,
  ...PAD_OPS,
  ...RESIZE_OPS,
  ...SCATTER_VIEW_OPS,
];
