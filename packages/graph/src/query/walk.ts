import type { Graph, Node, OpName } from "../ir.ts";
import { definitionsOf, graphsOf, usesOf, valuesOf } from "./args.ts";

/** Where a walk is: the names of the nested graphs from the root inwards. */
export type GraphPath = readonly string[];

/** Visits every node in execution order; a node comes before the nodes of the graphs nested in it. */
export function walk(graph: Graph, visit: (node: Node, graph: Graph, path: GraphPath) => void): void {
  const enter = (current: Graph, path: GraphPath): void => {
    for (const node of current.nodes) {
      visit(node, current, path);
      for (const nested of graphsOf(node)) enter(nested.graph, [...path, nested.name]);
    }
  };
  enter(graph, []);
}

/** How long the values of one graph (without nested ones) live. */
export interface Liveness {
  /** How often each value is used, by nodes and by the graph's results. */
  readonly uses: ReadonlyMap<string, number>;
  /** Index of the last node that uses each value: `nodes.length` for results, -1 for an input that is never used. */
  readonly lastUse: ReadonlyMap<string, number>;
  /** For each node, the values that nothing needs once it has run. Results are never among them. */
  readonly dies: readonly (readonly string[])[];
}

/** Finds out when the values of a graph are used for the last time. */
export function liveness(graph: Graph): Liveness {
  const uses = new Map<string, number>();
  const lastUse = new Map<string, number>();
  const define = (name: string, at: number): void => {
    uses.set(name, 0);
    lastUse.set(name, at);
  };
  const use = (name: string, at: number): void => {
    uses.set(name, (uses.get(name) ?? 0) + 1);
    lastUse.set(name, at);
  };
  for (const name of graph.inputs) if (name !== null) define(name, -1);
  graph.nodes.forEach((node, at) => {
    for (const name of usesOf(node)) use(name, at);
    for (const name of definitionsOf(node)) define(name, at);
  });
  for (const name of graph.outputs.flatMap(valuesOf)) use(name, graph.nodes.length);
  const dies: string[][] = graph.nodes.map(() => []);
  for (const [name, at] of lastUse) dies[at]?.push(name);
  return { uses, lastUse, dies };
}

/** How often one operator occurs, and where first. */
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
