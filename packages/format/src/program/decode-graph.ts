import { bool, type Decode, float, int, listOf, mapOf, string } from "../json/json-reader.ts";
import { argumentKind, dtype, layout, memoryFormat } from "./decode-enums.ts";
import {
  device,
  named,
  symBool,
  symBoolArgument,
  symFloat,
  symFloatArgument,
  symInt,
  symIntArgument,
  tensorMeta,
} from "./decode-value.ts";
import type { Argument, ArgumentKind, CustomObjMeta, Graph, NamedArgument, Node } from "./exported-program.ts";
import { RawMetadata } from "./node-metadata.ts";

const optionalTensor: Decode<string | null> = (json, value) =>
  json.variant<string | null>(value, { as_tensor: named, as_none: () => null }, "an optional tensor");

const ARGUMENT: Readonly<Record<ArgumentKind, Decode<Argument>>> = {
  as_none: () => ({ kind: "as_none" }),
  as_tensor: (json, value) => ({ kind: "as_tensor", name: named(json, value) }),
  as_tensors: (json, value) => ({ kind: "as_tensors", names: json.list(value, named) }),
  as_optional_tensor: (json, value) => ({ kind: "as_optional_tensor", name: optionalTensor(json, value) }),
  as_optional_tensors: (json, value) => ({ kind: "as_optional_tensors", names: json.list(value, optionalTensor) }),
  as_nested_tensors: (json, value) => ({ kind: "as_nested_tensors", names: json.list(value, listOf(named)) }),
  as_int: (json, value) => ({ kind: "as_int", value: json.wideInt(value) }),
  as_ints: (json, value) => ({ kind: "as_ints", values: json.list(value, int) }),
  as_int_lists: (json, value) => ({ kind: "as_int_lists", values: json.list(value, listOf(int)) }),
  as_float: (json, value) => ({ kind: "as_float", value: json.float(value) }),
  as_floats: (json, value) => ({ kind: "as_floats", values: json.list(value, float) }),
  as_float_lists: (json, value) => ({ kind: "as_float_lists", values: json.list(value, listOf(float)) }),
  as_complex: (json, value) => {
    const object = json.object(value);
    return { kind: "as_complex", real: json.at(object, "real", float), imag: json.at(object, "imag", float) };
  },
  as_bool: (json, value) => ({ kind: "as_bool", value: json.bool(value) }),
  as_bools: (json, value) => ({ kind: "as_bools", values: json.list(value, bool) }),
  as_string: (json, value) => ({ kind: "as_string", value: json.string(value) }),
  as_strings: (json, value) => ({ kind: "as_strings", values: json.list(value, string) }),
  as_sym_int: (json, value) => ({ kind: "as_sym_int", value: symIntArgument(json, value) }),
  as_sym_ints: (json, value) => ({ kind: "as_sym_ints", values: json.list(value, symIntArgument) }),
  as_sym_float: (json, value) => ({ kind: "as_sym_float", value: symFloatArgument(json, value) }),
  as_sym_floats: (json, value) => ({ kind: "as_sym_floats", values: json.list(value, symFloatArgument) }),
  as_sym_bool: (json, value) => ({ kind: "as_sym_bool", value: symBoolArgument(json, value) }),
  as_sym_bools: (json, value) => ({ kind: "as_sym_bools", values: json.list(value, symBoolArgument) }),
  as_scalar_type: (json, value) => ({ kind: "as_scalar_type", dtype: dtype(json, value) }),
  as_memory_format: (json, value) => ({ kind: "as_memory_format", memoryFormat: memoryFormat(json, value) }),
  as_layout: (json, value) => ({ kind: "as_layout", layout: layout(json, value) }),
  as_device: (json, value) => ({ kind: "as_device", device: device(json, value) }),
  as_graph: (json, value) => {
    const object = json.object(value);
    return { kind: "as_graph", name: json.at(object, "name", string), graph: json.at(object, "graph", graph) };
  },
  as_custom_obj: (json, value) => ({ kind: "as_custom_obj", ...customObj(json, value) }),
  as_operator: (json, value) => ({ kind: "as_operator", target: json.string(value) }),
  as_string_to_argument: (json, value) => ({
    kind: "as_string_to_argument",
    entries: json.nested(() => json.map(value, argument)),
  }),
};

/** Decodes an argument of any variant. */
export const argument: Decode<Argument> = (json, value) => json.variant(value, ARGUMENT, "an argument");

const namedArgument: Decode<NamedArgument> = (json, value) => {
  const object = json.object(value);
  return {
    name: json.at(object, "name", string),
    arg: json.at(object, "arg", argument),
    kind: json.optional(object, "kind", argumentKind, "unknown"),
  };
};

const customObj: Decode<CustomObjMeta> = (json, value) => {
  const object = json.object(value);
  return { name: json.at(object, "name", string), classFqn: json.at(object, "class_fqn", string) };
};

const namedArguments: Decode<readonly NamedArgument[]> = listOf(namedArgument);
const args: Decode<readonly Argument[]> = listOf(argument);

const metadata: Decode<RawMetadata> = (json, value) => new RawMetadata(json.map(value, string));
const NO_METADATA = new RawMetadata(new Map());

const node: Decode<Node> = (json, value) => {
  const object = json.object(value);
  return {
    target: json.at(object, "target", string),
    name: json.optional(object, "name", string, null),
    inputs: json.at(object, "inputs", namedArguments),
    outputs: json.at(object, "outputs", args),
    metadata: json.optional(object, "metadata", metadata, NO_METADATA),
    isHopSingleTensorReturn: json.optional(object, "is_hop_single_tensor_return", bool, null),
  };
};

/** Decodes a graph with everything nested in it. */
export const graph: Decode<Graph> = (json, value) =>
  json.nested(() => {
    const object = json.object(value);
    return {
      inputs: json.at(object, "inputs", args),
      outputs: json.at(object, "outputs", args),
      nodes: json.at(object, "nodes", listOf(node)),
      tensorValues: json.optional(object, "tensor_values", mapOf(tensorMeta), new Map()),
      symIntValues: json.optional(object, "sym_int_values", mapOf(symInt), new Map()),
      symFloatValues: json.optional(object, "sym_float_values", mapOf(symFloat), new Map()),
      symBoolValues: json.optional(object, "sym_bool_values", mapOf(symBool), new Map()),
      customObjValues: json.optional(object, "custom_obj_values", mapOf(customObj), new Map()),
      isSingleTensorReturn: json.optional(object, "is_single_tensor_return", bool, false),
    };
  });
