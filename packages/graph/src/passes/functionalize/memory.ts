import type { Graph, Node, OpName, ValueType } from "../../ir.ts";
import { argOf, graphsOf } from "../../query/args.ts";
import { isContiguous } from "../../strides.ts";

/** Operators that count elements in the memory that a tensor lies in, whatever its shape and strides. */
const OF_MEMORY: ReadonlySet<OpName> = new Set([
  "aten::as_strided",
  "aten::as_strided_copy",
  "aten::as_strided_scatter",
]);

/** Whether a node looks at the memory behind its argument. */
export function isOfMemory({ op }: Pick<Node, "op">): boolean {
  return OF_MEMORY.has(op);
}

/** Whether a tensor is all of its memory up to its end, element by element. */
export function isWhole(type: ValueType | undefined): boolean {
  return offsetOfWhole(type) === 0;
}

/** What of its memory is in front of a tensor that is the rest of it, element by element. Null for any other. */
export function offsetOfWhole(type: ValueType | undefined): number | null {
  if (type?.kind !== "tensor") return 0;
  return typeof type.storageOffset === "number" && isContiguous(type) ? type.storageOffset : null;
}

/** Whether a graph, or one nested in it, looks at memory behind a tensor that lies there in another order. */
export function looksBehindViews(graph: Graph): boolean {
  return graph.nodes.some((node) => {
    if (graphsOf(node).some((nested) => looksBehindViews(nested.graph))) return true;
    const self = isOfMemory(node) ? argOf(node, "self") : undefined;
    return self?.kind === "value" && !isWhole(graph.values.get(self.name));
  });
}
