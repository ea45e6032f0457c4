import { accept, type Cursor, list, match, schemaError } from "./cursor.ts";
import { enumName, enumWord } from "./enums.ts";
import type { SchemaDefault, SchemaType } from "./types.ts";

const STRING = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/y;
const NUMBER = /[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y;
const WORD = /[A-Za-z_][\w:.]*/y;
const SPECIAL = /([-+]?)(inf|infinity|nan)\b/iy;
const ESCAPES: Readonly<Record<string, string>> = {
  n: "\n",
  t: "\t",
  r: "\r",
  f: "\f",
  v: "\v",
  b: "\b",
  a: "\x07",
  "0": "\0",
};

/** Parses the literal after `=` as a value of `type`. */
export function parseDefault(cursor: Cursor, type: SchemaType): SchemaDefault {
  if (accept(cursor, "None")) {
    if (type.kind !== "optional" && baseOf(type) !== "Tensor" && baseOf(type) !== "Generator") {
      throw schemaError(cursor, "`None` for a type that is not optional");
    }
    return null;
  }
  const target = type.kind === "optional" ? type.inner : type;
  if (target.kind !== "list") return parseScalar(cursor, target);
  if (/\s*\[/y.test(cursor.text.slice(cursor.at))) {
    const element = target.inner;
    return list(cursor, "[", "]", () => parseDefault(cursor, element));
  }
  if (target.size === null) throw schemaError(cursor, "expected a list");
  const value = parseDefault(cursor, target.inner);
  return Array.from({ length: target.size }, () => value);
}

function parseScalar(cursor: Cursor, type: SchemaType): SchemaDefault {
  const base = baseOf(type);
  if (base === "Tensor") {
    if (accept(cursor, "[]")) return null;
    throw schemaError(cursor, "a Tensor can only default to `None`");
  }
  if (accept(cursor, "True") || accept(cursor, "true")) return true;
  if (accept(cursor, "False") || accept(cursor, "false")) return false;
  const special = match(cursor, SPECIAL);
  if (special !== null) {
    const size = /nan/i.test(special) ? Number.NaN : Number.POSITIVE_INFINITY;
    return asNumber(base, special.startsWith("-") ? -size : size, true);
  }
  const quoted = match(cursor, STRING);
  if (quoted !== null) return quoted.slice(1, -1).replace(/\\(.)/gs, (_, c: string) => ESCAPES[c] ?? c);
  const number = match(cursor, NUMBER);
  if (number !== null) return numeric(cursor, base, number);
  const word = match(cursor, WORD);
  if (word === null) throw schemaError(cursor, "expected a default value");
  const value = base === "str" ? word : enumWord(base, word.replace(/^at::|^torch\./, ""));
  if (value === undefined) throw schemaError(cursor, `\`${word}\` is not a default for ${base}`);
  return value;
}

function numeric(cursor: Cursor, base: string, text: string): SchemaDefault {
  const value = Number(text);
  if (accept(cursor, "j")) return { re: 0, im: value };
  if (base === "complex") {
    const imaginary = match(cursor, /[-+][^-+,)]*j/y);
    return { re: value, im: imaginary === null ? 0 : Number(imaginary.slice(0, -1)) };
  }
  const isFloat = /[.eE]/.test(text);
  if (isFloat && (base === "int" || base === "SymInt" || base === "bool")) {
    throw schemaError(cursor, `\`${text}\` is not a default for ${base}`);
  }
  if (!isFloat && !Number.isSafeInteger(value) && base !== "float") return BigInt(text);
  return enumName(base, value) ?? asNumber(base, value, isFloat);
}

/** Keeps a Python float apart from an int where the two differ in meaning. */
function asNumber(base: string, value: number, isFloat: boolean): SchemaDefault {
  const untyped = base === "Scalar" || base === "number" || base === "Any";
  return isFloat && untyped ? { float: value } : value;
}

function baseOf(type: SchemaType): string {
  return type.kind === "base" ? type.base : type.kind;
}
