import type { OpSet } from "@pt2/registry";
import { torchvision as portable } from "./index.ts";
import { deformedColumnsKernel } from "./wasm/deformed-columns.ts";
import { nmsKernel } from "./wasm/nms.ts";
import { psRoiAlignKernel, roiAlignKernel } from "./wasm/roi-align.ts";
import { psRoiPoolKernel, roiPoolKernel } from "./wasm/roi-pool.ts";

/** torchvision's ops with kernels in WebAssembly. Gradients, and other backends, use the decompositions. */
export const torchvision: OpSet = {
  ...portable,
  kernels: {
    wasm: [nmsKernel, roiAlignKernel, psRoiAlignKernel, roiPoolKernel, psRoiPoolKernel, deformedColumnsKernel],
  },
};

/** The list that `load` and `pt2 --ops` take. */
export const ops: readonly OpSet[] = [torchvision];
