import type { KernelCall } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { type IndexKernels, kernelsBase64 } from "./indexing.gen.ts";

/** Returns the functions of the module of rows that positions choose, over the memory of a call's model. */
export const indexKernels: (call: KernelCall) => IndexKernels = onDemandModule(kernelsBase64);
