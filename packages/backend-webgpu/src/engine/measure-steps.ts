import type { PlannedStep, RunHooks } from "@pt2/engine";
import type { WebgpuTypes } from "./kernel.ts";
import type { WebgpuPlan } from "./plan.ts";
import type { StepTarget } from "./step-target.ts";
import { timestamps } from "./timestamps.ts";

/** Runs a plan's steps one after the other, at once, and reports the time of each. */
export async function runMeasured({ ready, steps }: WebgpuPlan, target: StepTarget, hooks: RunHooks): Promise<void> {
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
