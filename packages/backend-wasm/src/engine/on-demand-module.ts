import { instantiate } from "../instantiate.ts";
import { hasRelaxedSimd } from "../relaxed-simd.ts";
import type { PlanContext } from "./kernel.ts";

/** Returns what gives a call the functions of a kernel module that loads on demand, over the memory of its model. */
export function onDemandModule<Exports>(kernelsBase64: string): (ctx: PlanContext) => Exports {
  const instance = instantiate<Exports>(kernelsBase64);
  const newHolder = (): { exports?: Exports } => ({});
  return (ctx) => {
    const holder = ctx.state(newHolder);
    holder.exports ??= instance(ctx.heap.memory, ctx.team);
    return holder.exports;
  };
}

/** The builds of a kernel module: for every processor, and for those that multiply and add in one instruction. */
type Builds = Readonly<Record<"plain" | "relaxed", () => Promise<{ readonly kernelsBase64: string }>>>;

/**
 * Returns what gives a call the functions of the build that suits this engine, which is loaded once for a thread; a load that
 * failed is tried again.
 */
export function suitedModule<Exports>(builds: Builds): (ctx: PlanContext) => Promise<Exports> {
  let loaded: Promise<(ctx: PlanContext) => Exports> | null = null;
  const load = async (): Promise<(ctx: PlanContext) => Exports> =>
    onDemandModule((await builds[hasRelaxedSimd() ? "relaxed" : "plain"]()).kernelsBase64);
  return async (ctx) => {
    loaded ??= load().catch((error) => {
      loaded = null;
      throw error;
    });
    return (await loaded)(ctx);
  };
}
