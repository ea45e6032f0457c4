import type { Graph } from "../ir.ts";

/** Returns whether a graph has regions that `@pt2/graph/functionalize` expands: automatic casts, batched calls, or calls whose result has another dtype. */
export function hasRegions({ nodes }: Graph): boolean {
  return nodes.some(({ op, args }) => {
    if (/^(higher_order::(wrap_with_autocast|out_dtype)$|torch\._functorch\.predispatch::)/.test(op)) return true;
    return args.some(({ arg }) => arg.kind === "graph" && hasRegions(arg.graph));
  });
}
