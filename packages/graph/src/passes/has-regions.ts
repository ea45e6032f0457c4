import type { Graph } from "../ir.ts";
import { CHECKS } from "./ordered-checks.ts";

/** Returns whether a graph has regions that `@pt2/graph/functionalize` expands: automatic casts, batched calls, calls whose result has another dtype, that write to copies, or that effect tokens order. */
export function hasRegions({ nodes }: Graph): boolean {
  return nodes.some(({ op, args }) => {
    if (
      /^(higher_order::(wrap_with_autocast|out_dtype|auto_functionalized(_v2)?)$|torch\._functorch\.predispatch::)/.test(
        op,
      )
    )
      return true;
    const called = args[1]?.arg;
    if (op === "higher_order::with_effects" && called?.kind === "operator" && !CHECKS.has(called.op)) return true;
    return args.some(({ arg }) => arg.kind === "graph" && hasRegions(arg.graph));
  });
}
