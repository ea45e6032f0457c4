import type { Arg, Graph, NamedArg, Node, OpName, Program, TensorType } from "../../ir.ts";
import { mapGraphs } from "../../query/map-node.ts";
import { namesOf } from "../../query/node-values.ts";
import { requireProgram } from "../../validate/require-program.ts";
import { GraphBuilder } from "../graph-builder.ts";
import { computedDtype } from "./result-dtype.ts";

const OUT_DTYPE = "higher_order::out_dtype";

/** What says how the arguments of an op are called. */
export interface OpSchemas {
  load(ops: readonly OpName[]): Promise<void>;
  resolve(op: OpName): { readonly schema: { readonly args: readonly { readonly name: string }[] } } | undefined;
}

/**
 * Expands `out_dtype(op, dtype, …)` as PyTorch does: the op computes in the dtype that the tensors and the result have in
 * common, and what it gives is converted. Ops that are unknown are left.
 */
export async function expandOutDtype(program: Program, schemas: OpSchemas): Promise<Program> {
  requireProgram("expandOutDtype()", program);
  const ops = calledWithOutDtype(program.graph);
  if (ops.length === 0) return program;
  await schemas.load(ops);
  const names: ArgumentNames = (op) => schemas.resolve(op)?.schema.args.map(({ name }) => name) ?? null;
  return { ...program, graph: expanded(program.graph, names) };
}

type ArgumentNames = (op: OpName) => readonly string[] | null;

function calledWithOutDtype({ nodes }: Graph): readonly OpName[] {
  return nodes.flatMap(({ op, args }) =>
    args.flatMap(({ arg }, i) => {
      if (arg.kind === "graph") return calledWithOutDtype(arg.graph);
      return op === OUT_DTYPE && i === 0 && arg.kind === "operator" ? [arg.op] : [];
    }),
  );
}

function expanded(graph: Graph, namesOfArguments: ArgumentNames): Graph {
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) {
    const made = node.op === OUT_DTYPE && expandNode(node, builder, namesOfArguments);
    if (!made) builder.push(mapGraphs(node, (nested) => expanded(nested, namesOfArguments)));
  }
  return builder.build(graph.outputs);
}

function expandNode(node: Node, builder: GraphBuilder, namesOfArguments: ArgumentNames): boolean {
  const [called, dtype, ...given] = node.args;
  const [result] = node.outputs.flatMap(namesOf);
  if (called?.arg.kind !== "operator" || dtype?.arg.kind !== "dtype" || result === undefined) return false;
  const names = namesOfArguments(called.arg.op);
  if (names === null) return false;
  const wanted = dtype.arg.value;
  const like: TensorType = { ...LIKE, dtype: wanted };
  const common = computedDtype({ ...node, args: given }, like, (name) => builder.typeOf(name));
  const cast = (self: Arg, to: typeof wanted, wish: string): string => {
    const type = self.kind === "value" ? builder.typeOf(self.name) : undefined;
    const args: readonly NamedArg[] = [
      { name: "self", arg: self },
      { name: "dtype", arg: { kind: "dtype", value: to } },
    ];
    const results = [{ name: wish, type: type?.kind === "tensor" ? { ...type, dtype: to } : undefined }];
    return builder.emit({ op: "aten::_to_copy", args, results, origin: node.origin })[0]!;
  };
  const args = given.map(({ name, arg }, i): NamedArg => {
    const isTensor = arg.kind === "value" && builder.typeOf(arg.name)?.kind === "tensor";
    return {
      name: name === "" ? (names[i] ?? "") : name,
      arg: isTensor ? { kind: "value", name: cast(arg, common, `${node.name}_operand`) } : arg,
    };
  });
  const type = builder.typeOf(result);
  const computed = builder.emit({
    op: called.arg.op,
    args,
    results: [
      { name: `${node.name}_computed`, type: type?.kind === "tensor" ? { ...type, dtype: common } : undefined },
    ],
    origin: node.origin,
  })[0]!;
  builder.push({
    ...node,
    op: "aten::_to_copy",
    args: [
      { name: "self", arg: { kind: "value", name: computed } },
      { name: "dtype", arg: { kind: "dtype", value: wanted } },
    ],
  });
  return true;
}

/** A tensor with a dimension, of which only the dtype matters. */
const LIKE: TensorType = {
  kind: "tensor",
  dtype: "float32",
  shape: [1],
  strides: [1],
  storageOffset: 0,
  device: { type: "cpu", index: null },
  requiresGrad: false,
};
