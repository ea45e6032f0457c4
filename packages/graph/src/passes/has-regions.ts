import type { Graph } from "../ir.ts";

/** Returns whether a graph has regions that `@pt2/graph/functionalize` expands: automatic casts or batched calls. */
export function hasRegions({ nodes }: Graph): boolean {
  return nodes.some(({ op, args }) => {
    if (op === "higher_order::wrap_with_autocast" || op.startsWith("torch._functorch.predispatch::")) return true;
    return args.some(({ arg }) => arg.kind === "graph" && hasRegions(arg.graph));
  });
}
