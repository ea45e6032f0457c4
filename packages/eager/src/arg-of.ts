import type { Arg } from "@pt2/graph";
import { argOfName, type SchemaType, wrapNumber } from "@pt2/registry";
import { isComplex, isFloat } from "./given.ts";

/** Converts data to an argument of a graph, as the type of the schema says. */
export function argOf(value: unknown, type: SchemaType): Arg {
  if (value === null) return { kind: "none" };
  if (type.kind === "optional") return argOf(value, type.inner);
  if (Array.isArray(value)) {
    const item = type.kind === "list" ? type.inner : type;
    return { kind: "list", items: value.map((each) => argOf(each, item)) };
  }
  const base = type.kind === "base" ? type.base : baseOfItems(type);
  if (typeof value === "string") return argOfName(value, base);
  return numberArg(value, base);
}

/** A number for a whole list of fixed length. */
function baseOfItems(type: SchemaType): string {
  return type.kind === "list" && type.inner.kind === "base" ? type.inner.base : "";
}

function numberArg(value: unknown, base: string): Arg {
  if (isComplex(value)) return { kind: "complex", re: value.re, im: value.im };
  if (isFloat(value)) return { kind: "float", value: value.float };
  if (base === "float" || base === "SymFloat") return { kind: "float", value: Number(value) };
  if (typeof value === "boolean") return { kind: "bool", value };
  if (typeof value === "bigint") return { kind: "int", value };
  const number = value as number;
  if (base === "int" || base === "SymInt") return { kind: "int", value: number };
  // One with a fraction, NaN, an infinity, or an integer beyond int64, such as 1e30.
  const isFloatOfPython = wrapNumber(number).dtype === "float64";
  return isFloatOfPython ? { kind: "float", value: number } : { kind: "int", value: number };
}
