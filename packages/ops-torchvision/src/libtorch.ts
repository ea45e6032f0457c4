import type { OpSet } from "@pt2/registry";
import { torchvision as portable } from "./index.ts";
import { sources } from "./libtorch/sources.ts";

/** torchvision's ops with kernels in C++, which are compiled where they run. Other backends use the decompositions. */
export const torchvision: OpSet = { ...portable, kernels: { libtorch: [sources] } };

/** The list that `load` and `pt2 --ops` take. */
export const ops: readonly OpSet[] = [torchvision];
