import type { Call } from "@pt2/registry";
import { loading } from "@pt2/registry/on-demand";
import { loadHelpers } from "../wgsl/prelude.ts";
import type { WebgpuDevice } from "./webgpu-device.ts";

/**
 * Loads what planning these calls may need, if a kernel of an op set is among them. Planning is repeated when something
 * turns out to be missing, and `prepare` of a user may have effects: it is called once.
 */
export async function loadAhead(calls: readonly Call[], plans: Pick<WebgpuDevice, "kernel">): Promise<void> {
  if (!calls.some(({ packaged }) => packaged)) return;
  await loadHelpers();
  await loading(() => {
    for (const call of calls) if (call.kind === "native") plans.kernel(call);
  });
}
