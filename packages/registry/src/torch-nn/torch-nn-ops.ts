import type { OpSet } from "../op-set.ts";
import { LINEAR_CROSS_ENTROPY_OPS } from "./linear-cross-entropy.ts";

/** Ops that PyTorch itself defines in Python, in its modules. libtorch does not have them. */
export const torchNn: OpSet = { name: "torch_nn", builtIn: true, ops: LINEAR_CROSS_ENTROPY_OPS };
