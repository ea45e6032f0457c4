import type { KernelCall } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { kernelsBase64, type OrderKernels } from "./ordering.gen.ts";

/** Returns the functions of the module of order, over the memory of a call's model. */
export const orderKernels: (call: KernelCall) => OrderKernels = onDemandModule(kernelsBase64);
