import type {
  Argument,
  Graph as FileGraph,
  Node as FileNode,
  SymBool,
  SymFloat,
  SymInt,
  TensorMeta,
} from "@pt2/format";
import type { Graph, Node, Output, TensorType, ValueType } from "../ir.ts";
import { type Bindings, evaluate } from "../sym/evaluate-expr.ts";
import { symbolsOf } from "../sym/make-expr.ts";
import { printSrepr } from "../sym/print-srepr.ts";
import type { SymExpr } from "../sym/sym-expr.ts";
import { exportArg, exportTarget, exportValue } from "./export-argument.ts";
import { exportMetadata } from "./export-metadata.ts";

type TypeOf<Kind extends ValueType["kind"]> = Extract<ValueType, { readonly kind: Kind }>;

/** Exports a graph and the graphs nested in it. `inputs` has the arguments of placeholders without a value. */
export function exportGraph(graph: Graph, sizes: Bindings, inputs: readonly Argument[] = []): FileGraph {
  const { values } = graph;
  const nested = (inner: Graph): FileGraph => exportGraph(inner, sizes);
  /** Converts the types of one kind; a value without an expression is left out. */
  const each = <Kind extends ValueType["kind"], To>(
    kind: Kind,
    convert: (type: TypeOf<Kind>, name: string) => To,
  ): ReadonlyMap<string, To> =>
    new Map(
      [...values]
        .filter(([, type]) => type.kind === kind && !("value" in type && type.value === null))
        .map(([name, type]) => [name, convert(type as TypeOf<Kind>, name)]),
    );
  return {
    inputs: graph.inputs.map((name, i) => (name === null ? inputs[i]! : exportValue(name, values))),
    outputs: graph.outputs.map((output) => exportArg(output, values, nested)),
    nodes: graph.nodes.map((node) => exportNode(node, graph, nested)),
    tensorValues: each("tensor", (type) => tensorMeta(type, sizes)),
    symIntValues: each("symint", ({ value }) => symInt(value!, sizes)),
    symFloatValues: each("symfloat", ({ value }) => symFloat(value!, sizes)),
    symBoolValues: each("symbool", ({ value }) => symBool(value!, sizes)),
    customObjValues: each("object", ({ className }, name) => ({ name, classFqn: className })),
    isSingleTensorReturn: false,
  };
}

function exportNode(
  { name, op, args, outputs, origin }: Node,
  graph: Graph,
  nested: (inner: Graph) => FileGraph,
): FileNode {
  return {
    target: exportTarget(op),
    name,
    // Python finds by the schema which are positional.
    inputs: args.map((arg) => ({ name: arg.name, arg: exportArg(arg.arg, graph.values, nested), kind: "unknown" })),
    outputs: outputs.map((output) => exportOutput(output, graph)),
    metadata: exportMetadata(origin),
    isHopSingleTensorReturn: op.startsWith("higher_order::") ? false : null,
  };
}

function exportOutput(output: Output, { values }: Graph): Argument {
  switch (output.kind) {
    case "none":
      return { kind: "as_none" };
    case "list":
      return { kind: "as_tensors", names: output.names };
    case "value":
      return exportValue(output.name, values);
  }
}

function tensorMeta(type: TensorType, sizes: Bindings): TensorMeta {
  return {
    dtype: type.dtype,
    sizes: type.shape.map((size) => symInt(size, sizes)),
    strides: type.strides.map((stride) => symInt(stride, sizes)),
    storageOffset: symInt(type.storageOffset, sizes),
    requiresGrad: type.requiresGrad,
    device: type.device,
    layout: "strided",
  };
}

function symInt(value: number | bigint | SymExpr, sizes: Bindings): SymInt {
  if (typeof value !== "object") return { kind: "as_int", value };
  return { kind: "as_expr", exprStr: printSrepr(value), hint: hintOf<number | bigint>(value, sizes) };
}

function symFloat(value: number | SymExpr, sizes: Bindings): SymFloat {
  if (typeof value !== "object") return { kind: "as_float", value };
  return { kind: "as_expr", exprStr: printSrepr(value), hint: hintOf<number>(value, sizes) };
}

function symBool(value: boolean | SymExpr, sizes: Bindings): SymBool {
  if (typeof value !== "object") return { kind: "as_bool", value };
  return { kind: "as_expr", exprStr: printSrepr(value), hint: hintOf<boolean>(value, sizes) };
}

/** The value for the example sizes; null where it depends on data. */
function hintOf<Value>(value: SymExpr, sizes: Bindings): Value | null {
  return [...symbolsOf(value)].every((name) => sizes.has(name)) ? (evaluate(value, sizes) as Value) : null;
}
