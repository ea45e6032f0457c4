import type { Stage } from "@pt2/registry";
import type { StagePlan } from "./stage-engine.ts";

/** A planned stage, those that may follow it, and the first stages of graphs that its graph break calls. */
export interface Explained {
  readonly key: string;
  readonly plan: Pick<StagePlan<unknown>, "summary" | "steps">;
  readonly stage: Stage;
  readonly next: { readonly plans: readonly Explained[] };
  readonly nested: readonly Explained[];
}

/**
 * Formats one line per step of every plan: the node, the ops that run as one, and what runs them where the plan says
 * it.
 */
export function explainStages(roots: readonly Explained[]): string {
  const lines: string[] = [];
  const visit = ({ key, plan, stage, next, nested }: Explained, indent: string): void => {
    lines.push(`${indent}# ${key || "no inputs"}: ${plan.summary}`);
    for (const { calls, by } of plan.steps) {
      const ops = calls.map(({ record }) => record.name).join(" + ");
      lines.push(`${indent}${calls.at(-1)!.node.name}: ${ops}${by === undefined ? "" : ` → ${by}`}`);
    }
    if (stage.end.kind !== "return") lines.push(`${indent}(${stage.end.node.op} runs on the host)`);
    for (const graph of nested) visit(graph, `${indent}  `);
    for (const plan of next.plans) visit(plan, indent);
  };
  for (const root of roots) visit(root, "");
  return roots.length === 0 ? "# not planned yet: the first run plans it, or a warmup" : lines.join("\n");
}
