import type { Graph, Node, OpName } from "../ir.ts";
import { graphsOf } from "./node-values.ts";

/** The position of a walk: the names of the nested graphs from the root inwards. */
export type GraphPath = readonly string[];

/** Visits every node in execution order; a node comes before the nodes of its nested graphs. */
export function walk(graph: Graph, visit: (node: Node, graph: Graph, path: GraphPath) => void): void {
  const enter = (current: Graph, path: GraphPath): void => {
    for (const node of current.nodes) {
      visit(node, current, path);
      for (const nested of graphsOf(node)) enter(nested.graph, [...path, nested.name]);
    }
  };
  enter(graph, []);
}

/** Returns whether a test holds for a node of a graph, or of one nested in it. */
export function someNode(graph: Graph, test: (node: Node, graph: Graph) => boolean): boolean {
  return graph.nodes.some((node) => test(node, graph) || graphsOf(node).some((nested) => someNode(nested.graph, test)));
}

/** The number of nodes of one operator, with the first one. */
export interface OpCount {
  readonly op: OpName;
  readonly count: number;
  readonly first: Node;
}

/** Counts operators, nested graphs included, most frequent first. */
export function stats(graph: Graph): readonly OpCount[] {
  const counts = new Map<OpName, { count: number; first: Node }>();
  walk(graph, (node) => {
    const known = counts.get(node.op);
    if (known === undefined) counts.set(node.op, { count: 1, first: node });
    else known.count++;
  });
  return [...counts].map(([op, entry]) => ({ op, ...entry })).sort((a, b) => b.count - a.count);
}
