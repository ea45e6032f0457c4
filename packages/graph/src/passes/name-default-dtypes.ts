import type { Arg, Graph, NamedArg, Node, Program, TensorType } from "../ir.ts";
import { mapGraphs, mapValues } from "../query/map-node.ts";
import { usesOf } from "../query/node-values.ts";
import { requireProgram } from "../validate/require-program.ts";
import { ofDefaultDtype } from "./default-dtypes.ts";
import { GraphBuilder } from "./graph-builder.ts";

/**
 * Names the dtype that was PyTorch's default when the program was exported, where that was not float32: what creates a
 * tensor is told its dtype, and what computes floats from integers gets them as floats.
 */
export function nameDefaultDtypes(program: Program): Program {
  requireProgram("nameDefaultDtypes()", program);
  return { ...program, graph: named(program.graph) };
}

function named(graph: Graph): Graph {
  const builder = new GraphBuilder(graph);
  for (const original of graph.nodes) {
    const node = mapGraphs(original, named);
    const type = ofDefaultDtype(node, graph);
    builder.push(type === null ? node : namedNode(node, type, graph, builder));
  }
  return builder.build(graph.outputs);
}

function namedNode(node: Node, type: TensorType, { values }: Graph, builder: GraphBuilder): Node {
  const tensors = usesOf(node).filter((name) => values.get(name)?.kind === "tensor");
  if (tensors.length === 0) return { ...node, args: [...node.args, dtypeArg(type.dtype)] };
  if (node.op.startsWith("aten::where.")) return choice(node, type, builder);
  const dtype = type.dtype === "complex128" ? "float64" : type.dtype;
  const converted = new Map(tensors.map((name) => [name, convert(name, dtype, node, builder)]));
  return mapValues(node, (name) => converted.get(name) ?? { kind: "value", name });
}

/** Makes tensors of numbers that are chosen by a condition, which stays what it is. */
function choice(node: Node, type: TensorType, builder: GraphBuilder): Node {
  const args = node.args.map(({ name, arg }) => {
    if (name === "condition") return { name, arg };
    if (arg.kind === "value" && builder.typeOf(arg.name)?.kind === "tensor")
      return { name, arg: convert(arg.name, type.dtype, node, builder) };
    const [number] = builder.emit({
      op: "aten::scalar_tensor",
      args: [{ name: "s", arg }, dtypeArg(type.dtype)],
      results: [{ name: "number", type: { ...type, shape: [], strides: [] } }],
      origin: node.origin,
    });
    return { name, arg: { kind: "value", name: number! } as const };
  });
  return { ...node, op: "aten::where.self", args };
}

function convert(name: string, dtype: TensorType["dtype"], { origin }: Node, builder: GraphBuilder): Arg {
  const [made] = builder.emit({
    op: "aten::_to_copy",
    args: [{ name: "self", arg: { kind: "value", name } }, dtypeArg(dtype)],
    results: [{ name: `${name}_float`, type: { ...(builder.typeOf(name) as TensorType), dtype } }],
    origin,
  });
  return { kind: "value", name: made! };
}

function dtypeArg(value: TensorType["dtype"]): NamedArg {
  return { name: "dtype", arg: { kind: "dtype", value } };
}
