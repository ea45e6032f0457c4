import type { PlanContext } from "../../engine/kernel.ts";
import { suitedModule } from "../../engine/on-demand-module.ts";
import { planPlanar } from "./planar.ts";
import type { PlanarKernels } from "./planar-plain.gen.ts";
import type { ConvPlanner } from "./types.ts";

/** Returns the functions of planes of channels, over the memory of a call's model. */
export const planarKernels: (ctx: PlanContext) => Promise<PlanarKernels> = suitedModule({
  plain: () => import("./planar-plain.gen.ts"),
  relaxed: () => import("./planar-relaxed.gen.ts"),
});

/** Returns what plans convolutions with few output channels, over the memory of a call's model. */
export async function planarPlanner(ctx: PlanContext): Promise<ConvPlanner> {
  const kernels = await planarKernels(ctx);
  return (module, shape) => planPlanar(kernels, module, shape);
}
