import type { PlannedStep } from "@pt2/engine";
import { addErrorLocation, type RunHooks } from "@pt2/engine";
import type { Device } from "./device.ts";
import type { WebgpuTypes } from "./kernel.ts";
import type { Memory } from "./memory.ts";
import type { WebgpuPlan } from "./plan.ts";
import type { Stream } from "./stream.ts";
import { timestamps } from "./timestamps.ts";

/** What steps run on. */
interface Target {
  readonly device: Device;
  readonly memory: Memory;
  readonly stream: Stream;
}

/**
 * Records a plan's steps on the queue; they run when it is submitted. Measured steps run one after the other, at once.
 */
export async function runSteps(plan: WebgpuPlan, target: Target, hooks: RunHooks): Promise<void> {
  hooks.signal?.throwIfAborted();
  if (hooks.observe !== undefined) {
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

async function runMeasured({ ready, steps }: WebgpuPlan, target: Target, hooks: RunHooks): Promise<void> {
  const { device, stream } = target;
  const clock = device.gpu.features.has("timestamp-query") ? timestamps(target, steps.length) : null;
  stream.submit();
  await device.gpu.queue.onSubmittedWorkDone();
  const begin = performance.now();
  const onHost: { readonly step: PlannedStep<WebgpuTypes>; readonly start: number; readonly ms: number }[] = [];
  const onGpu: PlannedStep<WebgpuTypes>[] = [];
  for (const step of steps) {
    hooks.signal?.throwIfAborted();
    const dispatches = step.work.flatMap((item) => (item.kind === "dispatch" ? [ready.bound(item.dispatch)] : []));
    if (clock !== null && dispatches.length === step.work.length) {
      stream.timed(dispatches, clock.next());
      onGpu.push(step);
      continue;
    }
    const start = performance.now();
    for (const item of step.work) await ready.run(item, stream);
    stream.submit();
    await device.gpu.queue.onSubmittedWorkDone();
    onHost.push({ step, start, ms: performance.now() - start });
  }
  const times = clock === null ? [] : await clock.read();
  const events = [
    ...onHost,
    ...onGpu.map((step, i) => ({ step, start: begin + times[i]!.start, ms: times[i]!.ms })),
  ].sort((a, b) => a.start - b.start);
  for (const { step, start, ms } of events) hooks.observe!(step.calls, start, ms);
}
