import type { Profile, StepTime, Value } from "@pt2/backend";
import { type Call, describeNode } from "@pt2/registry";
import type { StepObserver } from "./stage-engine.ts";

/** Times a run and its steps. */
export async function profiled(run: (observe: StepObserver) => Promise<readonly Value[]>): Promise<Profile> {
  const steps: StepTime[] = [];
  const begin = performance.now();
  const outputs = await run((calls, start, ms) => void steps.push(stepTime(calls, start - begin, ms)));
  return { outputs, steps, totalMs: performance.now() - begin };
}

function stepTime(calls: readonly Call[], startMs: number, ms: number): StepTime {
  const { node } = calls.at(-1)!;
  // A decomposed node is several calls.
  const nodes = new Map(calls.flatMap((call) => call.node.origin.joined ?? [call.node]).map((one) => [one.name, one]));
  const ops = calls.flatMap((call) => call.node.origin.joined?.map(({ op }) => op) ?? [call.record.name]);
  return { node: node.name, ops, where: describeNode(node, [...nodes.values()]), startMs, ms };
}
