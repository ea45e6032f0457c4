import type { OpSet } from "@pt2/registry";
import { torchvision as portable } from "./index.ts";
import { deformedColumnsKernel } from "./webgpu/deformed-columns.ts";
import { nmsKernel } from "./webgpu/nms.ts";
import { psRoiAlignKernel, roiAlignKernel } from "./webgpu/roi-align.ts";
import { psRoiPoolKernel, roiPoolKernel } from "./webgpu/roi-pool.ts";

/** torchvision's ops with kernels in WGSL. Gradients, and other backends, use the decompositions. */
export const torchvision: OpSet = {
  ...portable,
  kernels: {
    webgpu: [nmsKernel, roiAlignKernel, psRoiAlignKernel, roiPoolKernel, psRoiPoolKernel, deformedColumnsKernel],
  },
};

/** The list that `load` and `pt2 --ops` take. */
export const ops: readonly OpSet[] = [torchvision];
