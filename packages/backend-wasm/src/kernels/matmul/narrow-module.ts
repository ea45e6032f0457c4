import type { PlanContext } from "../../engine/kernel.ts";
import { suitedModule } from "../../engine/on-demand-module.ts";
import type { NarrowKernels } from "./narrow-plain.gen.ts";

/** Returns the functions of linear layers with narrow weights, over the memory of a call's model. */
export const narrowKernels: (ctx: PlanContext) => Promise<NarrowKernels> = suitedModule({
  plain: () => import("./narrow-plain.gen.ts"),
  relaxed: () => import("./narrow-relaxed.gen.ts"),
});
