import type { Graph } from "../ir.ts";

/** Whether a graph has parts that `@pt2/graph/regions` writes out: where casts are automatic, or calls are batched. */
export function hasRegions({ nodes }: Graph): boolean {
  return nodes.some(({ op, args }) => {
    if (op === "higher_order::wrap_with_autocast" || op.startsWith("torch._functorch.predispatch::")) return true;
    return args.some(({ arg }) => arg.kind === "graph" && hasRegions(arg.graph));
  });
}
