import { DTYPES, type DType } from "@pt2/format";
import type { Device, ValueType } from "../ir.ts";
import { toSymBool, toSymFloat, toSymInt } from "../sym/make-expr.ts";
import { parseSym } from "../sym/parse-expr.ts";
import type { SymExpr, SymInt } from "../sym/sym-expr.ts";
import type { JsonReader } from "./json-reader.ts";

/** The names of all dtypes. */
export const DTYPE_NAMES: readonly DType[] = Object.keys(DTYPES) as DType[];

/** Reads `{ type, index }`. */
export function decodeDevice(json: JsonReader): Device {
  return { type: json.at("type").string(), index: json.at("index").nullable((index) => Number(index.int())) };
}

/** Reads the type of a value. */
export function decodeType(json: JsonReader): ValueType {
  const kind = json.at("kind").oneOf(["tensor", "symint", "symfloat", "symbool", "object"]);
  if (kind === "object") return { kind, className: json.at("className").string() };
  const value = json.at("value");
  if (kind === "symint") return { kind, value: value.nullable(size) };
  if (kind === "symfloat") return { kind, value: value.nullable((v) => expr(v, toSymFloat) ?? v.float()) };
  if (kind === "symbool") return { kind, value: value.nullable((v) => expr(v, toSymBool) ?? v.boolean()) };
  return {
    kind,
    dtype: json.at("dtype").oneOf(DTYPE_NAMES),
    shape: json.at("shape").list(size),
    strides: json.at("strides").list(size),
    storageOffset: size(json.at("storageOffset")),
    device: decodeDevice(json.at("device")),
    requiresGrad: json.at("requiresGrad").boolean(),
  };
}

function size(json: JsonReader): SymInt {
  return expr(json, toSymInt) ?? json.int();
}

function expr<T>(json: JsonReader, convert: (parsed: SymExpr) => T): T | null {
  return typeof json.value === "string" ? convert(parseSym(json.value)) : null;
}
