import { type Call, describeNode } from "@pt2/registry";
import type { Profile, StepTime, Value } from "../contract.ts";
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
  return { node: node.name, ops: calls.map(({ record }) => record.name), where: describeNode(node), startMs, ms };
}
