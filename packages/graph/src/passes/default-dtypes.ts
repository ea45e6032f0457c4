import type { Graph, Node, TensorType } from "../ir.ts";
import { namesOf, usesOf } from "../query/node-values.ts";
import { someNode } from "../query/walk-graph.ts";

/** Dtypes of results where `torch.set_default_dtype` chose another one than float32. */
const CHOSEN = /^(b?float16|float64|complex128)$/;

/** Returns whether a program was exported while PyTorch's default dtype was another one than float32, and depends on that. */
export function hasDefaultDtypes(graph: Graph): boolean {
  return someNode(graph, (node, within) => ofDefaultDtype(node, within) !== null);
}

/**
 * Returns the type of a result whose dtype was PyTorch's default at export, if that was not float32: nothing that the node
 * takes says it. The file has it as the recorded type alone.
 */
export function ofDefaultDtype(node: Node, { values }: Graph): TensorType | null {
  const [result] = node.outputs.flatMap(namesOf);
  const type = values.get(result ?? "");
  if (type?.kind !== "tensor" || !CHOSEN.test(type.dtype) || !node.op.startsWith("aten::")) return null;
  if (node.args.some(({ arg }) => arg.kind === "dtype" || arg.kind === "graph")) return null;
  const hasFloats = usesOf(node).some((name) => {
    const used = values.get(name);
    return used?.kind === "tensor" && !/^(u?int|bool)/.test(used.dtype);
  });
  return hasFloats ? null : type;
}
