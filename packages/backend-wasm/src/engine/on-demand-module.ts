import { instantiate } from "../instantiate.ts";
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
