import { DTYPES } from "../dtype.ts";
import { JsonFloat, type Writable } from "../json/write-json.ts";
import { ARGUMENT_KINDS, LAYOUTS, MEMORY_FORMATS } from "./decode-enums.ts";
import type {
  Argument,
  Device,
  SymBool,
  SymBoolArgument,
  SymFloat,
  SymFloatArgument,
  SymInt,
  SymIntArgument,
  TensorMeta,
} from "./exported-program.ts";

const named = (name: string): Writable => ({ name });
const float = (value: number): Writable => new JsonFloat(value);
const optionalTensor = (name: string | null): Writable =>
  name === null ? { as_none: true } : { as_tensor: named(name) };

/** Encodes a device. */
function encodeDevice({ type, index }: Device): Writable {
  return { type, index };
}

/** Encodes a symbolic int or bool. */
export function encodeSym(value: SymInt | SymBool): Writable {
  if (value.kind !== "as_expr") return { [value.kind]: value.value };
  const { exprStr, hint } = value;
  const encoded = typeof hint === "boolean" ? { as_bool: hint } : { as_int: hint };
  return { as_expr: { expr_str: exprStr, hint: hint === null ? null : encoded } };
}

/** Encodes a symbolic float, whose hint is a float too where it is an integer. */
export function encodeSymFloat(value: SymFloat): Writable {
  if (value.kind === "as_float") return { as_float: float(value.value) };
  const { exprStr, hint } = value;
  return { as_expr: { expr_str: exprStr, hint: hint === null ? null : { as_float: float(Number(hint)) } } };
}

function encodeSymArgument(value: SymIntArgument | SymFloatArgument | SymBoolArgument): Writable {
  if (value.kind === "as_name") return { as_name: value.name };
  return { [value.kind]: value.kind === "as_float" ? float(value.value) : value.value };
}

/** Encodes the metadata of a tensor. */
export function encodeTensorMeta(meta: TensorMeta): Writable {
  return {
    dtype: DTYPES[meta.dtype].schema,
    sizes: meta.sizes.map(encodeSym),
    requires_grad: meta.requiresGrad,
    device: encodeDevice(meta.device),
    strides: meta.strides.map(encodeSym),
    storage_offset: encodeSym(meta.storageOffset),
    layout: LAYOUTS.indexOf(meta.layout),
  };
}

/** Encodes an argument as its single-key object. `graph` encodes nested graphs. */
export function encodeArgument(arg: Argument, graph: (arg: Argument & { kind: "as_graph" }) => Writable): Writable {
  return { [arg.kind]: payload(arg, graph) };
}

function payload(arg: Argument, graph: (arg: Argument & { kind: "as_graph" }) => Writable): Writable {
  switch (arg.kind) {
    case "as_none":
      return true;
    case "as_tensor":
      return named(arg.name);
    case "as_tensors":
      return arg.names.map(named);
    case "as_optional_tensor":
      return optionalTensor(arg.name);
    case "as_optional_tensors":
      return arg.names.map(optionalTensor);
    case "as_nested_tensors":
      return arg.names.map((names) => names.map(named));
    case "as_float":
      return float(arg.value);
    case "as_floats":
      return arg.values.map(float);
    case "as_float_lists":
      return arg.values.map((values) => values.map(float));
    case "as_complex":
      return { real: float(arg.real), imag: float(arg.imag) };
    case "as_sym_int":
    case "as_sym_float":
    case "as_sym_bool":
      return encodeSymArgument(arg.value);
    case "as_sym_ints":
    case "as_sym_floats":
    case "as_sym_bools":
      return arg.values.map(encodeSymArgument);
    case "as_scalar_type":
      return DTYPES[arg.dtype].schema;
    case "as_memory_format":
      return MEMORY_FORMATS.indexOf(arg.memoryFormat);
    case "as_layout":
      return LAYOUTS.indexOf(arg.layout);
    case "as_device":
      return encodeDevice(arg.device);
    case "as_graph":
      return graph(arg);
    case "as_custom_obj":
      return { name: arg.name, class_fqn: arg.classFqn };
    case "as_operator":
      return arg.target;
    case "as_string_to_argument":
      return new Map([...arg.entries].map(([key, value]) => [key, encodeArgument(value, graph)]));
    case "as_int":
    case "as_bool":
    case "as_string":
      return arg.value;
    default:
      return arg.values;
  }
}

/** Returns the schema number of an argument kind. */
export function encodeArgumentKind(kind: (typeof ARGUMENT_KINDS)[number]): number {
  return ARGUMENT_KINDS.indexOf(kind);
}
