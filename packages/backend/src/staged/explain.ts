import type { Stage } from "@pt2/registry";
import type { StagePlan } from "./stage-engine.ts";

/** A planned stage, and those that may follow it. */
interface Explained {
  readonly key: string;
  readonly plan: Pick<StagePlan<unknown>, "summary" | "steps">;
  readonly stage: Stage;
  readonly next: { readonly plans: readonly Explained[] };
}

/** One line per step of every plan: the node, and the ops that run as one. */
export function explainStages(roots: readonly Explained[]): string {
  const lines: string[] = [];
  const visit = ({ key, plan, stage, next }: Explained): void => {
    lines.push(`# ${key || "no inputs"}: ${plan.summary}`);
    for (const { calls } of plan.steps) {
      lines.push(`${calls.at(-1)!.node.name}: ${calls.map(({ record }) => record.name).join(" + ")}`);
    }
    if (stage.end.kind !== "return") lines.push(`(${stage.end.node.op} runs on the host)`);
    next.plans.forEach(visit);
  };
  roots.forEach(visit);
  return lines.join("\n");
}
