import type { OpName } from "@pt2/graph";
import { loading, NotLoaded } from "../not-loaded.ts";
import type { ArgValue } from "../tensor-meta.ts";
import type { LowerTarget } from "./lower-target.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Returns whether a backend runs an op itself. Throws `NotLoaded` while the code that decides is not loaded. */
export function isNativeIfLoaded(target: LowerTarget, op: OpName, args: Args): boolean {
  const native = target.isNative(op, args);
  if (native === null) throw new NotLoaded(`the kernel of ${op}`, () => target.loadKernels!(op));
  return native;
}

/** Returns whether a backend runs an op itself, when the code that decides is loaded. */
export async function isNative(target: LowerTarget, op: OpName, args: Args): Promise<boolean> {
  return await loading(() => isNativeIfLoaded(target, op, args));
}
