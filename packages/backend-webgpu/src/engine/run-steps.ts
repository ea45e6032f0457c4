import { addErrorLocation, type RunHooks } from "@pt2/engine";
import type { WebgpuPlan } from "./plan.ts";
import type { StepTarget } from "./step-target.ts";

/**
 * Records a plan's steps on the queue; they run when it is submitted.
 */
export async function runSteps(plan: WebgpuPlan, target: StepTarget, hooks: RunHooks): Promise<void> {
  hooks.signal?.throwIfAborted();
  if (hooks.observe !== undefined) {
    const { runMeasured } = await import("./measure-steps.ts");
    await runMeasured(plan, target, hooks);
    return;
  }
  const { ready, steps } = plan;
  for (const { calls, work } of steps) {
    for (const item of work) {
      if (item.kind === "dispatch") target.stream.dispatch(ready.bound(item.dispatch));
      else {
        try {
          await ready.run(item, target.stream);
        } catch (error) {
          throw addErrorLocation(error, calls);
        }
        hooks.signal?.throwIfAborted();
      }
    }
  }
}
