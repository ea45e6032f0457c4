import type { OpSet } from "@pt2/registry";
import { torchvision as portable } from "./index.ts";
import { deformedColumnsKernel } from "./wasm/deformed-columns.ts";
import { nmsKernel } from "./wasm/nms.ts";
import { roiAlignKernel } from "./wasm/roi-align.ts";

/** torchvision's ops with kernels in WebAssembly. Gradients, other ops, and other backends, use the decompositions. */
export const torchvision: OpSet = {
  ...portable,
  kernels: { wasm: [nmsKernel, roiAlignKernel, deformedColumnsKernel] },
};

/** The list that `load` and `pt2 --ops` take. */
export const ops: readonly OpSet[] = [torchvision];
