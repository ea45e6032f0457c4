import type { PlanContext } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { kernelsBase64, type ProductKernels } from "./products.gen.ts";

/** Returns the functions of the module of products and windows of rare dtypes, over the memory of a call's model. */
export const productKernels: (ctx: PlanContext) => ProductKernels = onDemandModule(kernelsBase64);
