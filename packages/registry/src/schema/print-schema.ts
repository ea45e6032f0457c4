import type { FloatScalar } from "../tensor-meta.ts";
import { enumNumber } from "./enum-number.ts";
import { printType } from "./print-type.ts";
import type { OpSchema, SchemaArgument, SchemaDefault, SchemaReturn, SchemaType } from "./types.ts";

/** Prints a schema as PyTorch does: `printSchema(parseSchema(text)) === text` for every text that PyTorch prints. */
export function printSchema(schema: OpSchema): string {
  const args: string[] = [];
  let kwargOnly = false;
  for (const arg of schema.args) {
    if (arg.kwargOnly && !kwargOnly) args.push("*");
    kwargOnly ||= arg.kwargOnly;
    args.push(printArgument(arg));
  }
  if (schema.vararg) args.push("...");
  const returns = schema.returns.map(printReturn);
  const results = returns.length === 1 && !returns[0]!.startsWith("(") ? returns[0] : `(${returns.join(", ")})`;
  return `${schema.name}(${args.join(", ")}) -> ${results}`;
}

function printReturn({ name, type, alias }: SchemaReturn): string {
  return name === null ? printType(type, alias) : `${printType(type, alias)} ${name}`;
}

function printArgument({ name, type, alias, default: value }: SchemaArgument): string {
  const text = `${printType(type, alias)} ${name}`;
  return value === undefined ? text : `${text}=${printDefault(value, type)}`;
}

function printDefault(value: SchemaDefault, type: SchemaType): string {
  if (value === null) return "None";
  const target = type.kind === "optional" ? type.inner : type;
  if (Array.isArray(value) && target.kind === "list") return printList(value, target);
  const base = target.kind === "base" ? target.base : "";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string") return base === "str" ? printString(value) : `${enumNumber(base, value) ?? value}`;
  // PyTorch reads the default of an optional float as it is written.
  const isFloat = type.kind !== "optional" && (base === "float" || base === "SymFloat");
  if (typeof value === "number") return isFloat ? printFloat(value) : `${value}`;
  if (typeof value === "bigint") return `${value}`;
  if ("re" in value) return `${printFloat(value.re)}${value.im < 0 ? "" : "+"}${printFloat(value.im)}j`;
  return printFloat((value as FloatScalar).float);
}

/** PyTorch collapses `[0, 0]` to `0` for a list of fixed length, except for SymInt. */
function printList(value: readonly SchemaDefault[], type: SchemaType & { kind: "list" }): string {
  const items = value.map((item) => printDefault(item, type.inner));
  const symbolic = type.inner.kind === "base" && type.inner.base === "SymInt";
  const uniform = type.size === items.length && items.length > 1 && items.every((item) => item === items[0]);
  return uniform && !symbolic ? items[0]! : `[${items.join(", ")}]`;
}

function printString(value: string): string {
  const escapes: Readonly<Record<string, string>> = {
    "\n": "n",
    "\t": "t",
    "\f": "f",
    "\v": "v",
    "\r": "r",
    "\b": "b",
  };
  return `"${value.replace(/["'\\\n\t\f\v\r\b]/g, (c) => `\\${escapes[c] ?? c}`)}"`;
}

/** Formats like C's `%.17g`, with a point after integral numbers. */
function printFloat(value: number): string {
  if (!Number.isFinite(value)) return `${value}`.replace("Infinity", "inf").replace("NaN", "nan");
  const [digits, power] = value.toExponential(16).split("e") as [string, string];
  const exponent = Number(power);
  const trimmed = (text: string): string => (text.includes(".") ? text.replace(/\.?0+$/, "") : text);
  if (exponent < -4 || exponent >= 17) {
    return `${trimmed(digits)}e${exponent < 0 ? "-" : "+"}${`${Math.abs(exponent)}`.padStart(2, "0")}`;
  }
  const text = trimmed(value.toFixed(Math.max(0, 16 - exponent)));
  return text.includes(".") ? text : `${text}.`;
}
