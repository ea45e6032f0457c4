import type { KernelCall } from "../../engine/kernel.ts";
import { instantiate } from "../../instantiate.ts";
import { type IndexKernels, kernelsBase64 } from "./indexing.gen.ts";

const instance = instantiate<IndexKernels>(kernelsBase64);

const newHolder = (): { kernels?: IndexKernels } => ({});

/** Returns the functions of the module of rows that positions choose, over the memory of a call's model. */
export function indexKernels(call: KernelCall): IndexKernels {
  const holder = call.state(newHolder);
  holder.kernels ??= instance(call.heap.memory, call.team);
  return holder.kernels;
}
