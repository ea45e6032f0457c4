import { instantiate } from "../instantiate.ts";
import type { KernelCall } from "./kernel.ts";

/** Returns what gives a call the functions of a kernel module that loads on demand, over the memory of its model. */
export function onDemandModule<Exports>(kernelsBase64: string): (call: KernelCall) => Exports {
  const instance = instantiate<Exports>(kernelsBase64);
  const newHolder = (): { exports?: Exports } => ({});
  return (call) => {
    const holder = call.state(newHolder);
    holder.exports ??= instance(call.heap.memory, call.team);
    return holder.exports;
  };
}
