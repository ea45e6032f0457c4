import type { Graph, OpName, Program } from "../ir.ts";
import { mapGraphs } from "../query/map-node.ts";
import { graphsOf } from "../query/node-values.ts";

/**
 * Ops that take the strides of their result, which begins where their argument does, with the equivalent as_strided.
 */
const AS_STRIDED: ReadonlyMap<OpName, OpName> = new Map([
  ["aten::_reshape_alias", "aten::as_strided"],
  ["aten::_reshape_alias_copy", "aten::as_strided_copy"],
]);

/** Rewrites `_reshape_alias` to `as_strided`, as PyTorch does not check that its strides are those of a reshape. */
export function canonicalizeStridedViews(program: Program, isClaimed: (op: OpName) => boolean): Program {
  if ([...AS_STRIDED.keys()].some(isClaimed)) return program;
  const graph = canonical(program.graph);
  return graph === program.graph ? program : { ...program, graph };
}

function canonical(graph: Graph): Graph {
  if (!graph.nodes.some((node) => AS_STRIDED.has(node.op) || graphsOf(node).length > 0)) return graph;
  const nodes = graph.nodes.map((node) => {
    const op = AS_STRIDED.get(node.op);
    return mapGraphs(op === undefined ? node : { ...node, op }, canonical);
  });
  return nodes.every((node, i) => node === graph.nodes[i]) ? graph : { ...graph, nodes };
}
