import type { Program, ValueType } from "@pt2/graph";
import { GraphBuilder, orderInMemory, Substitution } from "@pt2/graph/passes";
import { inMemoryOrder } from "./in-memory-order.ts";

/**
 * Gives inputs the order of memory with which the program was exported, channels-last say: views of such an input, and what
 * `as_strided` reads of it, depend on it. Tensors that users make are contiguous. What was expanded, or has gaps, stays as it is.
 */
export function withRecordedStrides(program: Program): Program {
  const { graph, inputs } = program;
  const builder = new GraphBuilder(graph);
  const laid = new Substitution();
  for (const spec of inputs) {
    if (spec.kind !== "user_input" || spec.value === null) continue;
    const order = orderOf(graph.values.get(spec.value));
    if (order !== null)
      laid.bind(spec.value, inMemoryOrder(spec.value, order, builder, { suffix: "laid", origin: {} }));
  }
  if (laid.size === 0) return program;
  for (const node of graph.nodes) builder.push(laid.node(node));
  return { ...program, graph: builder.build(graph.outputs.map((arg) => laid.arg(arg))) };
}

/** Dimensions as they lie in memory; null for a tensor that is contiguous, or not dense. */
function orderOf(type: ValueType | undefined): readonly number[] | null {
  if (type?.kind !== "tensor" || type.shape.some((size) => size === 0)) return null;
  const order = orderInMemory(type);
  return order === null || order.every((d, i) => d === i) ? null : order;
}
