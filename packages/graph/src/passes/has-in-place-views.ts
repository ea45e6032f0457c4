import type { Graph } from "../ir.ts";

/** Returns whether a graph gives a tensor other sizes in place, which `@pt2/graph/functionalize` makes views of. */
export function hasInPlaceViews({ nodes }: Graph): boolean {
  return nodes.some(
    ({ op, args }) =>
      /^aten::(t|transpose|(un)?squeeze|swap(axes|dims)|as_strided)_/.test(op) ||
      args.some(({ arg }) => arg.kind === "graph" && hasInPlaceViews(arg.graph)),
  );
}
