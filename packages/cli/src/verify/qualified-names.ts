import type { Graph, Node, Program } from "@pt2/graph";
import { mapGraphs, mapValues, renameOutput } from "@pt2/graph/passes";

/**
 * Puts the path of a nested graph before the names of its values: `cond.true_graph_0.add`. Names are then unique in the
 * whole program, also where a nested graph becomes a part of the one around it. Names that have their path are kept.
 */
export function qualifyNames(program: Program): Program {
  return { ...program, graph: qualifyNested(program.graph, "") };
}

function qualifyNested(graph: Graph, path: string): Graph {
  const nodes = graph.nodes.map((node) =>
    mapGraphs(node, (nested, name) => {
      const prefix = `${qualified(node.name, path)}.${name}.`;
      return rename(qualifyNested(nested, prefix), prefix);
    }),
  );
  return nodes.every((node, i) => node === graph.nodes[i]) ? graph : { ...graph, nodes };
}

function rename(graph: Graph, prefix: string): Graph {
  const named = (name: string): string => qualified(name, prefix);
  const values = [...graph.values].map(([name, type]) => [named(name), type] as const);
  return {
    inputs: graph.inputs.map((name) => (name === null ? null : named(name))),
    nodes: graph.nodes.map((node) => renameNode(node, named)),
    outputs: outputsOf(graph, named),
    values: new Map(values),
  };
}

function renameNode(node: Node, named: (name: string) => string): Node {
  const operands = mapValues(node, (name) => ({ kind: "value", name: named(name) }));
  return { ...operands, name: named(node.name), outputs: node.outputs.map((output) => renameOutput(output, named)) };
}

/** Renames the results of a graph as if a node used them. */
function outputsOf({ outputs }: Graph, named: (name: string) => string): Graph["outputs"] {
  const args = outputs.map((arg) => ({ name: "", arg }));
  const result: Node = { name: "", op: "", args, outputs: [], origin: {} };
  return mapValues(result, (name) => ({ kind: "value", name: named(name) })).args.map(({ arg }) => arg);
}

function qualified(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name : `${prefix}${name}`;
}
