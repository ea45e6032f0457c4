import type { Argument, SymBoolArgument, SymFloatArgument, SymIntArgument } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { Arg, Graph, OpName, ValueType } from "../ir.ts";
import { splitOpName } from "../op-name.ts";

/** The types of the values that an argument may refer to. */
export type Values = Graph["values"];

/** Exports a nested graph; the graph exporter passes it, as it has the context. */
export type ExportGraph = (graph: Graph) => (Argument & { readonly kind: "as_graph" })["graph"];

/** Converts an argument of the IR to that of a file, whose lists have one type each. */
export function exportArg(arg: Arg, values: Values, exportGraph: ExportGraph): Argument {
  switch (arg.kind) {
    case "none":
      return { kind: "as_none" };
    case "value":
      return exportValue(arg.name, values);
    case "int":
      return { kind: "as_int", value: arg.value };
    case "float":
      return { kind: "as_float", value: arg.value };
    case "bool":
      return { kind: "as_bool", value: arg.value };
    case "string":
      return { kind: "as_string", value: arg.value };
    case "complex":
      return { kind: "as_complex", real: arg.re, imag: arg.im };
    case "dtype":
      return { kind: "as_scalar_type", dtype: arg.value };
    case "device":
      return { kind: "as_device", device: arg.value };
    case "layout":
      return { kind: "as_layout", layout: arg.value };
    case "memory_format":
      return { kind: "as_memory_format", memoryFormat: arg.value };
    case "operator":
      return { kind: "as_operator", target: exportTarget(arg.op) };
    case "graph":
      return { kind: "as_graph", name: arg.name, graph: exportGraph(arg.graph) };
    case "dict":
      return {
        kind: "as_string_to_argument",
        entries: new Map(arg.entries.map(([key, entry]) => [key, exportArg(entry, values, exportGraph)])),
      };
    case "list":
      return exportList(arg.items, values);
  }
}

/** Converts a reference to a value, by the value's type. */
export function exportValue(name: string, values: Values): Argument {
  const type = typeOf(name, values);
  switch (type.kind) {
    case "tensor":
      return { kind: "as_tensor", name };
    case "symint":
      return { kind: "as_sym_int", value: { kind: "as_name", name } };
    case "symfloat":
      return { kind: "as_sym_float", value: { kind: "as_name", name } };
    case "symbool":
      return { kind: "as_sym_bool", value: { kind: "as_name", name } };
    case "object":
      return { kind: "as_custom_obj", name, classFqn: type.className };
  }
}

/** Returns an op's name as files write it: `torch.ops.aten.relu.default`, `torch.ops.higher_order.cond`, `_operator.mul`. */
export function exportTarget(name: OpName): string {
  const { namespace, op, overload } = splitOpName(name);
  if (namespace === "higher_order") return `torch.ops.higher_order.${op}`;
  if (/^(?:_operator|math|builtins|torch(?:\.\w+)*)$/.test(namespace)) return `${namespace}.${op}`;
  const of = overload === "" ? "default" : overload;
  return namespace.startsWith("#") ? `${namespace}:${op}.${of}` : `torch.ops.${namespace}.${op}.${of}`;
}

function typeOf(name: string, values: Values): ValueType {
  const type = values.get(name);
  if (type !== undefined) return type;
  throw graphError("graph.export", {
    what: `\`${name}\` has no type`,
    advice: "every value of a program that is written needs one: check the program with `validate`",
  });
}

type Items = readonly Arg[];

function exportList(items: Items, values: Values): Argument {
  const all = <Kind extends Arg["kind"]>(...kinds: readonly Kind[]): (Arg & { readonly kind: Kind })[] | null =>
    items.every(({ kind }) => (kinds as readonly string[]).includes(kind)) ? (items as never) : null;
  const ints = all("int");
  if (ints !== null) return { kind: "as_ints", values: ints.map(({ value }) => value) };
  // A list of floats may have been written with an integer in it.
  const floats = all("float", "int");
  if (floats !== null) return { kind: "as_floats", values: floats.map(({ value }) => Number(value)) };
  const bools = all("bool");
  if (bools !== null) return { kind: "as_bools", values: bools.map(({ value }) => value) };
  const strings = all("string");
  if (strings !== null) return { kind: "as_strings", values: strings.map(({ value }) => value) };
  const lists = all("list");
  if (lists !== null) return exportNested(lists.map((list) => list.items));
  return exportReferences(items, values);
}

/** Exports a list that has a value, beside literals or nothing. */
function exportReferences(items: Items, values: Values): Argument {
  const first = items.find((item) => item.kind === "value");
  const kind = first === undefined ? null : typeOf(first.name, values).kind;
  switch (kind) {
    case "tensor": {
      const names = items.map((item) => (item.kind === "value" ? item.name : item.kind === "none" ? null : undefined));
      if (names.includes(undefined)) throw mixed(items);
      return names.includes(null)
        ? { kind: "as_optional_tensors", names: names as (string | null)[] }
        : { kind: "as_tensors", names: names as string[] };
    }
    case "symint":
      return { kind: "as_sym_ints", values: items.map((item) => symbolic<SymIntArgument>(item, "int", items)) };
    case "symfloat":
      return { kind: "as_sym_floats", values: items.map((item) => symbolic<SymFloatArgument>(item, "float", items)) };
    case "symbool":
      return { kind: "as_sym_bools", values: items.map((item) => symbolic<SymBoolArgument>(item, "bool", items)) };
    default:
      if (items.every((item) => item.kind === "none"))
        return { kind: "as_optional_tensors", names: items.map(() => null) };
      throw mixed(items);
  }
}

function symbolic<To>(item: Arg, literal: "int" | "float" | "bool", items: Items): To {
  if (item.kind === "value") return { kind: "as_name", name: item.name } as To;
  if (item.kind === literal) return { kind: `as_${literal}`, value: item.value } as To;
  throw mixed(items);
}

function exportNested(lists: readonly Items[]): Argument {
  const items = lists.flat();
  const each = <To>(read: (item: Arg) => To): To[][] => lists.map((list) => list.map(read));
  if (items.every((item) => item.kind === "value")) {
    return { kind: "as_nested_tensors", names: each((item) => (item as Arg & { kind: "value" }).name) };
  }
  if (items.every((item) => item.kind === "int")) {
    return { kind: "as_int_lists", values: each((item) => (item as Arg & { kind: "int" }).value) };
  }
  if (items.every((item) => item.kind === "float")) {
    return { kind: "as_float_lists", values: each((item) => (item as Arg & { kind: "float" }).value) };
  }
  throw mixed(items);
}

function mixed(items: Items): Error {
  return graphError("graph.export", {
    what: `A file has no list of ${[...new Set(items.map(({ kind }) => kind))].join(" and ")}`,
    advice: "give the items of a list one type",
  });
}
