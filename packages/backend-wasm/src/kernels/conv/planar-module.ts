import type { PlanContext } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { hasRelaxedSimd } from "../../relaxed-simd.ts";
import { planPlanar } from "./planar.ts";
import type { PlanarKernels } from "./planar-plain.gen.ts";
import type { ConvPlanner } from "./types.ts";

let loaded: Promise<(ctx: PlanContext) => PlanarKernels> | null = null;

/** Loads the module that suits this engine, once for a thread; a load that failed is tried again. */
export function loadPlanarKernels(): Promise<(ctx: PlanContext) => PlanarKernels> {
  loaded ??= load().catch((error) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function load(): Promise<(ctx: PlanContext) => PlanarKernels> {
  const suitable = hasRelaxedSimd() ? import("./planar-relaxed.gen.ts") : import("./planar-plain.gen.ts");
  return onDemandModule((await suitable).kernelsBase64);
}

/** Returns what plans convolutions with few output channels, over the memory of a call's model. */
export async function planarPlanner(ctx: PlanContext): Promise<ConvPlanner> {
  const kernels = (await loadPlanarKernels())(ctx);
  return (module, shape) => planPlanar(kernels, module, shape);
}
