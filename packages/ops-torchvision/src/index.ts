import type { OpSet } from "@pt2/registry";
import { deformConv2d, deformConv2dBackward } from "./deform-conv2d.ts";
import { deformedColumns } from "./deformed-columns.ts";
import { nms, nmsKept } from "./nms.ts";
import { psRoiAlign, psRoiAlignBackward, psRoiPool, psRoiPoolBackward } from "./ps-roi.ts";
import { roiAlign, roiAlignBackward } from "./roi-align.ts";
import { roiPool, roiPoolBackward } from "./roi-pool.ts";

export {
  deformConv2d,
  deformConv2dBackward,
  deformedColumns,
  nms,
  nmsKept,
  psRoiAlign,
  psRoiAlignBackward,
  psRoiPool,
  psRoiPoolBackward,
  roiAlign,
  roiAlignBackward,
  roiPool,
  roiPoolBackward,
};

/** torchvision's ops by their own rules, on any backend. */
export const torchvision: OpSet = {
  name: "@pt2/ops-torchvision",
  version: "0.0.0",
  apiVersion: 1,
  ops: [
    nms,
    nmsKept,
    roiPool,
    roiPoolBackward,
    deformConv2d,
    deformConv2dBackward,
    deformedColumns,
    roiAlign,
    roiAlignBackward,
    psRoiAlign,
    psRoiAlignBackward,
    psRoiPool,
    psRoiPoolBackward,
  ],
};

/** The list that `load` and `pt2 --ops` take. */
export const ops: readonly OpSet[] = [torchvision];
