import type { Graph, Node } from "../ir.ts";
import { argOf } from "../query/node-values.ts";

/** Ops that fill a tensor with random numbers, one by one, in the order of its memory. */
const DRAWS =
  /^aten::(((native|alpha)_)?dropout_?|rand(int)?_like(\.low_dtype)?|(uniform|exponential|cauchy|geometric|log_normal|random)_?(\.from|\.to)?|bernoulli_\.float)$/;

/** Returns whether a node draws numbers in the order of its result's memory. */
export function drawsInOrder(node: Node): boolean {
  const train = DRAWS.test(node.op) ? argOf(node, "train") : null;
  return train !== null && !(train?.kind === "bool" && !train.value);
}

/** Returns whether a graph has nodes whose numbers depend on the order of memory. */
export function hasDraws({ nodes }: Graph): boolean {
  return nodes.some(
    (node) => drawsInOrder(node) || node.args.some(({ arg }) => arg.kind === "graph" && hasDraws(arg.graph)),
  );
}
