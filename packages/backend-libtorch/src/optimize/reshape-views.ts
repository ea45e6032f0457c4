import { type Graph, type Node, type Program, walk } from "@pt2/graph";
import { mapGraphs } from "@pt2/graph/passes";
import type { OptimizeTarget } from "./target.ts";

/**
 * Replaces `view` by `reshape`, which copies where a view of that shape does not exist: a program that was exported on a CPU
 * counts on strides that its kernels give, such as those of attention, and kernels of a GPU give others. A program that
 * writes in place stays as it is, as it may write through a view.
 */
export function reshapeViews(
  program: Program,
  { effectsOf, isClaimed }: Pick<OptimizeTarget, "effectsOf" | "isClaimed">,
): Program {
  let writes = false;
  walk(program.graph, ({ op }) => {
    writes ||= (effectsOf(op)?.mutates.length ?? 0) > 0;
  });
  return writes || isClaimed("aten::view") || isClaimed("aten::reshape")
    ? program
    : { ...program, graph: reshaped(program.graph) };
}

function reshaped(graph: Graph): Graph {
  return { ...graph, nodes: graph.nodes.map((node) => reshapedNode(mapGraphs(node, reshaped))) };
}

function reshapedNode(node: Node): Node {
  if (node.op !== "aten::view") return node;
  const { op, name, origin } = node;
  const args = node.args.map((argument) => (argument.name === "size" ? { ...argument, name: "shape" } : argument));
  return { ...node, op: "aten::reshape", args, origin: { ...origin, joined: origin.joined ?? [{ op, name }] } };
}
