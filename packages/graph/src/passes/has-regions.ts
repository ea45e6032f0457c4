import type { Graph } from "../ir.ts";
import { someNode } from "../query/walk-graph.ts";
import { CHECKS } from "./ordered-checks.ts";

const REGIONS =
  /^(higher_order::(wrap_with_autocast|out_dtype|auto_functionalized(_v2)?)$|torch\._functorch\.predispatch::)/;

/**
 * Returns whether a graph has regions that `@pt2/graph/functionalize` expands: automatic casts, batched calls, calls
 * whose result has another dtype, that write to copies, or that effect tokens order.
 */
export function hasRegions(graph: Graph): boolean {
  return someNode(graph, ({ op, args }) => {
    const called = op === "higher_order::with_effects" ? args[1]?.arg : undefined;
    return REGIONS.test(op) || (called?.kind === "operator" && !CHECKS.has(called.op));
  });
}
