import type { Graph } from "../ir.ts";
import { definitionsOf, usesOf, valuesOf } from "./node-values.ts";

/** The lifetimes of the values of one graph, without nested ones. */
export interface Liveness {
  /** The number of uses of each value, by nodes and by the graph's results. */
  readonly uses: ReadonlyMap<string, number>;
  /** The index of the last node that uses each value: `nodes.length` for results, -1 for an unused input. */
  readonly lastUse: ReadonlyMap<string, number>;
  /** For each node, the values that are dead after it. Results are never among them. */
  readonly dies: readonly (readonly string[])[];
}

/** Counts the uses of each value of a graph (without nested ones), by nodes and by the graph's results. */
function useCounts(graph: Graph): ReadonlyMap<string, number> {
  const uses = new Map<string, number>();
  const use = (name: string): void => void uses.set(name, (uses.get(name) ?? 0) + 1);
  for (const name of graph.inputs) if (name !== null) uses.set(name, 0);
  for (const node of graph.nodes) {
    for (const name of usesOf(node)) use(name);
    for (const name of definitionsOf(node)) uses.set(name, 0);
  }
  for (const arg of graph.outputs) for (const name of valuesOf(arg)) use(name);
  return uses;
}

/** Computes the liveness of a graph's values; last uses are computed lazily, as most callers need only the counts. */
export function liveness(graph: Graph): Liveness {
  let lastUse: ReadonlyMap<string, number> | undefined;
  let dies: readonly (readonly string[])[] | undefined;
  return {
    uses: useCounts(graph),
    get lastUse() {
      lastUse ??= lastUses(graph);
      return lastUse;
    },
    get dies() {
      dies ??= deaths(graph, this.lastUse);
      return dies;
    },
  };
}

function lastUses(graph: Graph): ReadonlyMap<string, number> {
  const lastUse = new Map<string, number>();
  for (const name of graph.inputs) if (name !== null) lastUse.set(name, -1);
  for (const [at, node] of graph.nodes.entries()) {
    for (const name of usesOf(node)) lastUse.set(name, at);
    for (const name of definitionsOf(node)) lastUse.set(name, at);
  }
  for (const arg of graph.outputs) for (const name of valuesOf(arg)) lastUse.set(name, graph.nodes.length);
  return lastUse;
}

function deaths(graph: Graph, lastUse: ReadonlyMap<string, number>): readonly (readonly string[])[] {
  const dies: string[][] = graph.nodes.map(() => []);
  for (const [name, at] of lastUse) dies[at]?.push(name);
  return dies;
}
