import type { KernelCall } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { type FourierKernels, kernelsBase64 } from "./fourier.gen.ts";

/** Returns the functions of the module of Fourier transforms, over the memory of a call's model. */
export const fourierKernels: (call: KernelCall) => FourierKernels = onDemandModule(kernelsBase64);
