import type { Arg, Node, OpName, Program, TensorType, ValueType } from "@pt2/graph";
import { GraphBuilder, orderInMemory, Substitution } from "@pt2/graph/passes";

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
    if (order !== null) laid.bind(spec.value, inOrder(spec.value, order, builder));
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

/** permute⁻¹(contiguous(permute(x))), which copies nothing where the memory of `x` is in that order. */
function inOrder(input: string, order: readonly number[], builder: GraphBuilder): Arg {
  const type = builder.typeOf(input) as TensorType;
  const ints = (values: readonly number[]): Arg => ({
    kind: "list",
    items: values.map((value) => ({ kind: "int", value })),
  });
  const emit = (op: OpName, self: Arg, args: Node["args"], made: TensorType): Arg => {
    const results = [{ name: `${input}_laid`, type: made }];
    const [name] = builder.emit({ op, args: [{ name: "self", arg: self }, ...args], results, origin: {} });
    return { kind: "value", name: name! };
  };
  const moved = { ...type, shape: order.map((d) => type.shape[d]!), strides: order.map((d) => type.strides[d]!) };
  const inverse = order.map((_, d) => order.indexOf(d));
  const permuted = emit("aten::permute", { kind: "value", name: input }, [{ name: "dims", arg: ints(order) }], moved);
  const dense = emit("aten::contiguous", permuted, [], moved);
  return emit("aten::permute", dense, [{ name: "dims", arg: ints(inverse) }], type);
}
