import type { Graph } from "../ir.ts";

/** Returns whether a graph has regions that `@pt2/graph/functionalize` expands: automatic casts, batched calls, calls whose result has another dtype, or that write to copies. */
export function hasRegions({ nodes }: Graph): boolean {
  return nodes.some(({ op, args }) => {
    if (
      /^(higher_order::(wrap_with_autocast|out_dtype|auto_functionalized(_v2)?)$|torch\._functorch\.predispatch::)/.test(
        op,
      )
    )
      return true;
    return args.some(({ arg }) => arg.kind === "graph" && hasRegions(arg.graph));
  });
}
