import type { StageNode } from "./stage-node.ts";

/** One line per step of every plan: the node, and the ops that run as one. */
export function explainStages(roots: readonly StageNode[]): string {
  const lines: string[] = [];
  const visit = ({ key, plan, stage, next }: StageNode): void => {
    lines.push(`# ${key || "no inputs"}: arena ${plan.arenaEnd} bytes, ${plan.steps.length} steps`);
    for (const { calls } of plan.steps) {
      lines.push(`${calls.at(-1)!.node.name}: ${calls.map(({ record }) => record.name).join(" + ")}`);
    }
    if (stage.end.kind !== "return") lines.push(`(${stage.end.node.op} runs on the host)`);
    next.plans.forEach(visit);
  };
  roots.forEach(visit);
  return lines.join("\n");
}
