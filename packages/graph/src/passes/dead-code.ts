import { requireOptions } from "@pt2/format/options";
import type { Graph, Node, Program } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { definitionsOf, usesOf, valuesOf } from "../query/node-values.ts";
import { requireProgram } from "../validate/require-program.ts";

/** Options of {@link eliminateDeadCode}. */
export interface DeadCodeOptions {
  /** Returns whether a node only computes its results: no mutation, no check, no observable randomness. */
  readonly isPure: (node: Node) => boolean;
}

/** Removes pure nodes whose results are unused, in nested graphs too. Signatures stay the same. */
export function eliminateDeadCode(program: Program, options: DeadCodeOptions): Program {
  requireProgram("eliminateDeadCode()", program);
  requireOptions("eliminateDeadCode()", options, { isPure: "function" }, "graph.options", "isPure");
  const graph = liveGraph(program.graph, options);
  return graph === program.graph ? program : { ...program, graph };
}

function liveGraph(graph: Graph, options: DeadCodeOptions): Graph {
  const used = new Set(graph.outputs.flatMap(valuesOf));
  const kept: Node[] = [];
  for (const node of graph.nodes.toReversed()) {
    if (options.isPure(node) && !definitionsOf(node).some((name) => used.has(name))) continue;
    for (const name of usesOf(node)) used.add(name);
    kept.push(mapGraphs(node, (nested) => liveGraph(nested, options)));
  }
  kept.reverse();
  if (kept.length === graph.nodes.length && kept.every((node, i) => node === graph.nodes[i])) return graph;
  const alive = new Set([...graph.inputs, ...kept.flatMap(definitionsOf)]);
  return { ...graph, nodes: kept, values: new Map([...graph.values].filter(([name]) => alive.has(name))) };
}
