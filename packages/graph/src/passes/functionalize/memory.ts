import type { Graph, Node, OpName, ValueType } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";
import { someNode } from "../../query/walk-graph.ts";
import { isContiguous } from "../../strides.ts";

/** Operators that index the memory of a tensor, whatever its shape and strides. */
const OF_MEMORY: ReadonlySet<OpName> = new Set([
  "aten::as_strided",
  "aten::as_strided_copy",
  "aten::as_strided_scatter",
]);

/** Returns whether a node indexes the memory of its argument. */
export function isOfMemory({ op }: Pick<Node, "op">): boolean {
  return OF_MEMORY.has(op);
}

/** Returns whether a tensor covers its memory up to its end, in row-major order. */
export function isWhole(type: ValueType | undefined): boolean {
  return offsetOfWhole(type) === 0;
}

/** Returns the offset of a tensor that covers the rest of its memory in row-major order; null for any other. */
export function offsetOfWhole(type: ValueType | undefined): number | null {
  if (type?.kind !== "tensor") return 0;
  return typeof type.storageOffset === "number" && isContiguous(type) ? type.storageOffset : null;
}

/** Returns whether a graph, or one nested in it, indexes the memory of a tensor that is not row-major. */
export function looksBehindViews(graph: Graph): boolean {
  return someNode(graph, (node, { values }) => {
    const self = isOfMemory(node) ? argOf(node, "self") : undefined;
    return self?.kind === "value" && !isWhole(values.get(self.name));
  });
}
