import type { Argument } from "@pt2/format";
import type { Arg, Graph } from "../ir.ts";
import { parseOpName } from "../op-name.ts";

const NONE: Arg = { kind: "none" };

/** Imports a nested graph; the graph importer passes it, as it has the context. */
export type ImportGraph = (argument: Argument & { readonly kind: "as_graph" }) => Graph;

/** Converts an argument of the file to the IR: literals, references to values, lists of both. */
export function importArg(argument: Argument, importGraph: ImportGraph): Arg {
  switch (argument.kind) {
    case "as_none":
      return NONE;
    case "as_tensor":
    case "as_custom_obj":
      return ref(argument.name);
    case "as_optional_tensor":
      return optional(argument.name);
    case "as_tensors":
      return list(argument.names, ref);
    case "as_optional_tensors":
      return list(argument.names, optional);
    case "as_nested_tensors":
      return list(argument.names, (names) => list(names, ref));
    case "as_int":
      return int(argument.value);
    case "as_ints":
      return list(argument.values, int);
    case "as_int_lists":
      return list(argument.values, (values) => list(values, int));
    case "as_float":
      return float(argument.value);
    case "as_floats":
      return list(argument.values, float);
    case "as_float_lists":
      return list(argument.values, (values) => list(values, float));
    case "as_complex":
      return { kind: "complex", re: argument.real, im: argument.imag };
    case "as_bool":
      return bool(argument.value);
    case "as_bools":
      return list(argument.values, bool);
    case "as_string":
      return { kind: "string", value: argument.value };
    case "as_strings":
      return list(argument.values, (value) => ({ kind: "string", value }));
    case "as_sym_int":
      return sym(argument.value);
    case "as_sym_ints":
    case "as_sym_floats":
    case "as_sym_bools":
      return list<Symbolic>(argument.values, sym);
    case "as_sym_float":
    case "as_sym_bool":
      return sym(argument.value);
    case "as_scalar_type":
      return { kind: "dtype", value: argument.dtype };
    case "as_memory_format":
      return argument.memoryFormat === "unknown" ? NONE : { kind: "memory_format", value: argument.memoryFormat };
    case "as_layout":
      return argument.layout === "unknown" ? NONE : { kind: "layout", value: argument.layout };
    case "as_device":
      return { kind: "device", value: { type: argument.device.type, index: argument.device.index } };
    case "as_graph":
      return { kind: "graph", name: argument.name, graph: importGraph(argument) };
    case "as_operator":
      return { kind: "operator", op: parseOpName(argument.target) };
    case "as_string_to_argument":
      return {
        kind: "dict",
        entries: [...argument.entries].map(([key, entry]) => [key, importArg(entry, importGraph)] as const),
      };
  }
}

type Symbolic = (Argument & { readonly kind: "as_sym_int" | "as_sym_float" | "as_sym_bool" })["value"];

function sym(value: Symbolic): Arg {
  switch (value.kind) {
    case "as_name":
      return ref(value.name);
    case "as_int":
      return int(value.value);
    case "as_float":
      return float(value.value);
    case "as_bool":
      return bool(value.value);
  }
}

function ref(name: string): Arg {
  return { kind: "value", name };
}

function optional(name: string | null): Arg {
  return name === null ? NONE : ref(name);
}

function int(value: number | bigint): Arg {
  return { kind: "int", value };
}

function float(value: number): Arg {
  return { kind: "float", value };
}

function bool(value: boolean): Arg {
  return { kind: "bool", value };
}

function list<T>(items: readonly T[], item: (value: T) => Arg): Arg {
  return { kind: "list", items: items.map(item) };
}
