import type { Graph, Node } from "../ir.ts";
import { argOf } from "../query/node-values.ts";
import { someNode } from "../query/walk-graph.ts";

/** Ops that fill a tensor with random numbers, in an order that depends on how it lies in memory; and those that factor a matrix so. */
const DRAWS =
  /^aten::(_linalg_(slog)?det|(native_|alpha_)?dropout_?|multinomial|rand\w*_like.*|(uniform|exponential|cauchy|geometric|random|\w*normal\w*)_?(\.from|\.to)?|bernoulli(_\.float|_?\.Tensor))$/;

/** Returns whether a graph has nodes whose results depend on the order of memory. */
export function hasDraws(graph: Graph): boolean {
  return someNode(graph, drawsInOrder);
}

/** Returns whether a node draws numbers, or factors a matrix, in an order that depends on memory. */
export function drawsInOrder(node: Node): boolean {
  const train = DRAWS.test(node.op) ? argOf(node, "train") : null;
  return train !== null && !(train?.kind === "bool" && !train.value);
}
