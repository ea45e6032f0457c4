import { intsArg } from "@pt2/engine/rewrites";
import type { Arg, Graph, Node } from "@pt2/graph";
import {
  type ArgValue,
  argValue,
  type Call,
  callArgs,
  contiguous,
  Emitter,
  irArg,
  requireAsRecorded,
  type SchemaType,
  type Strided,
  type TensorMeta,
} from "@pt2/registry";
import { libtorchError } from "../libtorch-errors.ts";
import type { Router } from "../routes.ts";
import { ExpansionBuilder } from "./expansion-builder.ts";
import { scalarNodes } from "./scalar-nodes.ts";

/** The nodes that replace a node, over the same operands. */
export interface Expansion {
  readonly nodes: readonly Node[];
  /** The types of the values that the nodes define. */
  readonly types: ExpansionBuilder["types"];
  /** One entry per return of the node. */
  readonly results: readonly Arg[];
}

const ANY: SchemaType = { kind: "base", base: "Any" };

/**
 * Expands a node into ops that can run, by its handler's `rewrite` or its record's rules. `operands` gives a meta, or a
 * number, to every value that the node uses; `values` are the types in the program.
 */
export function expandOp(
  node: Node,
  operands: ReadonlyMap<string, ArgValue>,
  router: Router,
  values: Graph["values"],
): Expansion {
  const { registry } = router;
  const target = { name: "libtorch", isNative: (op: string) => router.runs(op) };
  const emitter = new Emitter(registry, target);
  const given = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, operands, node)]));
  const results = emitter.emit(node.op, given, node);
  requireAsRecorded(node, results, (name) => operands.get(name), values, registry);
  const builder = new ExpansionBuilder(node, operands);
  for (const call of emitter.calls) addCall(call, builder, router);
  builder.nodes.forEach((each) => void router.markExpanded(each));
  return { nodes: builder.nodes, types: builder.types, results: results.map((result) => irArg(result, ANY, builder)) };
}

function addCall(call: Call, builder: ExpansionBuilder, router: Router): void {
  const { record, args, results } = call;
  if (router.runs(record.name)) builder.call(record.name, callArgs(record.schema, args, builder), results);
  else if (call.scalar !== undefined)
    builder.bind(results[0] as TensorMeta & { name: string }, scalarNodes(call.scalar, builder));
  else if (record.view !== undefined) addView(call, record.view, builder);
  else {
    throw libtorchError("libtorch.no-op", {
      what: `${call.node.op} needs ${record.name}, which neither the backend nor a handler runs`,
      advice: "Give load() a handler for this op.",
    });
  }
}

/** Adds a view that libtorch does not have, by its geometry over the row-major tensor that rules assume. */
function addView(
  { record, args, results }: Call,
  view: NonNullable<Call["record"]["view"]>,
  builder: ExpansionBuilder,
): void {
  const source = args[record.schema.args[0]!.name] as TensorMeta;
  const geometry = view(contiguous(source.shape), args)!;
  // A tensor may begin in the middle of its memory, and offsets count from the beginning of the memory: a clone begins
  // at 0.
  const dense = builder.tensor("aten::clone", [
    { name: "self", arg: { kind: "value", name: builder.nameOf(source) } },
    { name: "memory_format", arg: { kind: "memory_format", value: "contiguous_format" } },
  ]);
  const place = (tensor: ArgValue, { shape, strides, offset }: Strided): void => {
    const name = builder.tensor("aten::as_strided", [
      { name: "self", arg: { kind: "value", name: dense } },
      { name: "size", arg: intsArg(shape) },
      { name: "stride", arg: intsArg(strides) },
      { name: "storage_offset", arg: { kind: "int", value: offset } },
    ]);
    builder.bind(tensor as TensorMeta & { name: string }, name);
  };
  if ("strides" in geometry) place(results[0]!, geometry);
  else for (const [i, each] of geometry.entries()) place((results[0] as readonly ArgValue[])[i]!, each);
}
