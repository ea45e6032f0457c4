import type { PlanContext } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { kernelsBase64, type ResamplingKernels } from "./resampling.gen.ts";

/** Returns the functions of the module of resampling, over the memory of a call's model. */
export const resamplingKernels: (ctx: PlanContext) => ResamplingKernels = onDemandModule(kernelsBase64);
