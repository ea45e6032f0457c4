import type { TreeSpec } from "@pt2/format";
import type { Arg, Graph, InputSpec, Node, Program, ValueType } from "../ir.ts";
import { printSym } from "../sym/print-expr.ts";
import type { SymBool, SymFloat, SymInt } from "../sym/sym-expr.ts";
import { requireProgram } from "../validate/require-program.ts";
import { IR_VERSION, type Json } from "./json-types.ts";

/**
 * Converts a program to a JSON document, without weights. Sizes are numbers or expressions such as `"2*s0"`; integers
 * beyond 2^53 are `{ "$int": "…" }`, floats that JSON lacks `{ "$float": "-Infinity" }`.
 */
export function toJson(program: Program): Json {
  requireProgram("toJson()", program);
  return {
    irVersion: IR_VERSION,
    dialect: program.dialect,
    torchVersion: program.torchVersion,
    forwardArgs: program.forwardArgs,
    ranges: object(program.ranges, ({ min, max }) => ({ min: number(min), max: number(max) })),
    namedTuples: object(program.namedTuples, (fields) => fields),
    inSpec: tree(program.inSpec),
    outSpec: tree(program.outSpec),
    inputs: program.inputs.map(inputSpec),
    outputs: program.outputs.map((spec) => ({ ...spec })),
    ...(program.customOps && { customOps: object(program.customOps, (op) => ({ ...op })) }),
    graph: graph(program.graph),
  };
}

function object<T>(map: ReadonlyMap<string, T>, value: (item: T) => Json): Json {
  return Object.fromEntries([...map].map(([key, item]) => [key, value(item)]));
}

function number(value: number | bigint | null): Json {
  if (typeof value === "bigint") return { $int: value.toString() };
  if (value === null || (Number.isFinite(value) && !Object.is(value, -0))) return value;
  return { $float: Object.is(value, -0) ? "-0" : String(value) };
}

function tree(spec: TreeSpec | null): Json {
  if (spec === null) return null;
  return { type: spec.type, context: (spec.context ?? null) as Json, children: spec.children.map(tree) };
}

function inputSpec(spec: InputSpec): Json {
  return spec.kind === "constant_input" ? { ...spec, constant: arg(spec.constant) } : { ...spec };
}

function graph({ inputs, nodes, outputs, values }: Graph): Json {
  return { inputs, nodes: nodes.map(node), outputs: outputs.map(arg), values: object(values, valueType) };
}

function node({ name, op, args, outputs, origin }: Node): Json {
  return {
    name,
    op,
    args: args.map((named) => ({ name: named.name, arg: arg(named.arg) })),
    outputs: outputs.map((output) => ({ ...output })),
    origin: { ...origin },
  };
}

function arg(value: Arg): Json {
  switch (value.kind) {
    case "int":
    case "float":
      return { kind: value.kind, value: number(value.value) };
    case "complex":
      return { kind: "complex", re: number(value.re), im: number(value.im) };
    case "device":
      return { kind: "device", value: { ...value.value } };
    case "graph":
      return { kind: "graph", name: value.name, graph: graph(value.graph) };
    case "list":
      return { kind: "list", items: value.items.map(arg) };
    case "dict":
      return { kind: "dict", entries: value.entries.map(([key, entry]) => [key, arg(entry)]) };
    default:
      return { ...value };
  }
}

function valueType(type: ValueType): Json {
  if (type.kind === "object") return { ...type };
  if (type.kind !== "tensor") return { kind: type.kind, value: type.value === null ? null : sym(type.value) };
  return {
    kind: "tensor",
    dtype: type.dtype,
    shape: type.shape.map(sym),
    strides: type.strides.map(sym),
    storageOffset: sym(type.storageOffset),
    device: { ...type.device },
    requiresGrad: type.requiresGrad,
  };
}

function sym(value: SymInt | SymFloat | SymBool): Json {
  if (typeof value === "object") return printSym(value);
  return typeof value === "boolean" ? value : number(value);
}
