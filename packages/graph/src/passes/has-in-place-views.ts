import type { Graph } from "../ir.ts";
import { someNode } from "../query/walk-graph.ts";

/** Returns whether a graph gives a tensor other sizes in place, which `@pt2/graph/functionalize` makes views of. */
export function hasInPlaceViews(graph: Graph): boolean {
  return someNode(graph, ({ op }) => /^aten::(t|transpose|(un)?squeeze|swap(axes|dims)|as_strided)_/.test(op));
}
