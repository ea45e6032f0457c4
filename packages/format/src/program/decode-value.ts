import { bool, type Decode, float, int, type JsonReader, listOf, smallInt, string } from "../json/json-reader.ts";
import type { Json } from "../json/parse-json.ts";
import { dtype, layout } from "./decode-enums.ts";
import type {
  Device,
  SymBool,
  SymBoolArgument,
  SymFloat,
  SymFloatArgument,
  SymInt,
  SymIntArgument,
  TensorMeta,
} from "./exported-program.ts";

/** Decodes `{ name }` to its name. */
export const named: Decode<string> = (json, value) => json.at(json.object(value), "name", string);

/** The device of nearly every tensor; sharing the object saves one per tensor. */
const CPU: Device = Object.freeze({ type: "cpu", index: null });

/** Decodes a device. */
export const device: Decode<Device> = (json, value) => {
  const object = json.object(value);
  const type = json.at(object, "type", string);
  const index = json.optional(object, "index", smallInt, null);
  return type === "cpu" && index === null ? CPU : { type, index };
};

function expression<T>(hint: string, decode: Decode<T>) {
  return (
    json: JsonReader,
    value: Json,
  ): { readonly kind: "as_expr"; readonly exprStr: string; readonly hint: T | null } => {
    const object = json.object(value);
    const unwrap: Decode<T> = (inner, wrapped) => inner.at(inner.object(wrapped), hint, decode);
    return {
      kind: "as_expr",
      exprStr: json.at(object, "expr_str", string),
      hint: json.optional(object, "hint", unwrap, null),
    };
  };
}

/** Small sizes and strides are shared objects: a program of a thousand nodes has ten thousand of them. */
const SMALL_SIZES: readonly SymInt[] = Array.from({ length: 1024 }, (_, value) =>
  Object.freeze({ kind: "as_int", value }),
);

const SYM_INT: Readonly<Record<string, Decode<SymInt>>> = {
  as_int: (json, value) =>
    (typeof value === "number" && SMALL_SIZES[value]) || { kind: "as_int", value: json.int(value) },
  as_expr: expression("as_int", int),
};
/** Decodes a size. */
export const symInt: Decode<SymInt> = (json, value) => json.variant(value, SYM_INT, "a SymInt");

const SYM_FLOAT: Readonly<Record<string, Decode<SymFloat>>> = {
  as_float: (json, value) => ({ kind: "as_float", value: json.float(value) }),
  as_expr: expression("as_float", float),
};
/** Decodes a symbolic float. */
export const symFloat: Decode<SymFloat> = (json, value) => json.variant(value, SYM_FLOAT, "a SymFloat");

const SYM_BOOL: Readonly<Record<string, Decode<SymBool>>> = {
  as_bool: (json, value) => ({ kind: "as_bool", value: json.bool(value) }),
  as_expr: expression("as_bool", bool),
};
/** Decodes a symbolic boolean. */
export const symBool: Decode<SymBool> = (json, value) => json.variant(value, SYM_BOOL, "a SymBool");

const asName = (json: JsonReader, value: Json): { readonly kind: "as_name"; readonly name: string } => ({
  kind: "as_name",
  name: json.string(value),
});

const SYM_INT_ARGUMENT: Readonly<Record<string, Decode<SymIntArgument>>> = {
  as_name: asName,
  as_int: (json, value) => ({ kind: "as_int", value: json.int(value) }),
};
/** Decodes a reference to a size. */
export const symIntArgument: Decode<SymIntArgument> = (json, value) =>
  json.variant(value, SYM_INT_ARGUMENT, "a SymIntArgument");

const SYM_FLOAT_ARGUMENT: Readonly<Record<string, Decode<SymFloatArgument>>> = {
  as_name: asName,
  as_float: (json, value) => ({ kind: "as_float", value: json.float(value) }),
};
/** Decodes a reference to a symbolic float. */
export const symFloatArgument: Decode<SymFloatArgument> = (json, value) =>
  json.variant(value, SYM_FLOAT_ARGUMENT, "a SymFloatArgument");

const SYM_BOOL_ARGUMENT: Readonly<Record<string, Decode<SymBoolArgument>>> = {
  as_name: asName,
  as_bool: (json, value) => ({ kind: "as_bool", value: json.bool(value) }),
};
/** Decodes a reference to a symbolic boolean. */
export const symBoolArgument: Decode<SymBoolArgument> = (json, value) =>
  json.variant(value, SYM_BOOL_ARGUMENT, "a SymBoolArgument");

const symInts: Decode<readonly SymInt[]> = listOf(symInt);

/** Decodes the metadata of a tensor value. */
export const tensorMeta: Decode<TensorMeta> = (json, value) => {
  const object = json.object(value);
  return {
    dtype: json.at(object, "dtype", dtype),
    sizes: json.at(object, "sizes", symInts),
    strides: json.at(object, "strides", symInts),
    storageOffset: json.at(object, "storage_offset", symInt),
    requiresGrad: json.optional(object, "requires_grad", bool, false),
    device: json.at(object, "device", device),
    layout: json.optional(object, "layout", layout, "strided"),
  };
};
