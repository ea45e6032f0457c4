import { type FormatErrorCode, formatError } from "../format-errors.ts";
import { LIMITS } from "../limits.ts";
import type { Int } from "../program/exported-program.ts";
import { exactInt, type Json, pythonInt } from "./parse-json.ts";

/** A JSON object of the file. */
export type JsonObject = { readonly [key: string]: Json };

/** Converts a JSON value to a typed one, or throws through the reader. */
export type Decode<T> = (json: JsonReader, value: Json) => T;

/**
 * Walks a parsed document and tracks the JSON path for error messages. An error ends the walk: the path is not unwound.
 */
export class JsonReader {
  readonly #entry: string;
  readonly #code: FormatErrorCode;
  readonly #path: (string | number)[] = [];
  #depth = 0;

  constructor(entry: string, code: FormatErrorCode) {
    this.#entry = entry;
    this.#code = code;
  }

  /** Throws an error that names the current path. */
  fail(what: string, cause?: unknown): never {
    throw formatError(this.#code, {
      what,
      where: this.place,
      advice: "the file is damaged, or written by a torch this version does not know: re-export it, or update @pt2",
      details: { entry: this.#entry, path: this.path },
      cause,
    });
  }

  /** The entry and path of the current value. */
  get place(): string {
    return `${this.#entry} at ${this.path}`;
  }

  /** The JSON path of the current value. */
  get path(): string {
    const steps = this.#path.map((step) => {
      if (typeof step === "number") return `[${step}]`;
      return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step.slice(0, 200))}]`;
    });
    return `$${steps.join("")}`;
  }

  /** Decodes a required member. Keys are the schema's, none of which an object inherits. */
  at<T>(object: JsonObject, key: string, decode: Decode<T>): T {
    const value = object[key];
    this.#path.push(key);
    const result = value === undefined ? this.fail("the field is missing") : decode(this, value);
    this.#path.pop();
    return result;
  }

  /** Decodes a member that older files lack; null counts as missing. */
  optional<T, D>(object: JsonObject, key: string, decode: Decode<T>, otherwise: D): T | D {
    const value = object[key];
    return value === undefined || value === null ? otherwise : this.at(object, key, decode);
  }

  list<T>(value: Json, decode: Decode<T>): readonly T[] {
    if (!Array.isArray(value)) return this.#expected("a list", value);
    const items: readonly Json[] = value;
    const top = this.#path.length;
    // Allocated at its final length: most lists of a program have one item, and a list that grows over-allocates.
    const result = items.map((item, index) => {
      this.#path[top] = index;
      return decode(this, item);
    });
    this.#path.length = top;
    return result;
  }

  map<T>(value: Json, decode: Decode<T>): ReadonlyMap<string, T> {
    const object = this.object(value);
    const top = this.#path.length;
    const result = new Map<string, T>();
    for (const key of Object.keys(object)) {
      this.#path[top] = key;
      result.set(key, decode(this, object[key]!));
    }
    this.#path.length = top;
    return result;
  }

  /**
   * Decodes a union: an object with one variant. Variants that are null are ignored, and so are unknown keys beside a
   * known one.
   */
  variant<T>(value: Json, variants: Readonly<Record<string, Decode<T>>>, what: string): T {
    const object = this.object(value);
    let found: string | undefined;
    for (const key in object) {
      if (object[key] === null || !Object.hasOwn(variants, key)) continue;
      if (found !== undefined) this.fail(`${what} has two variants, ${found} and ${key}`);
      found = key;
    }
    if (found === undefined) {
      this.fail(`${what} has no known variant: ${JSON.stringify(Object.keys(object).slice(0, 5))}`);
    }
    return this.at(object, found, variants[found]!);
  }

  /** Runs a recursive decoder with bounded depth. */
  nested<T>(decode: () => T): T {
    if (++this.#depth > LIMITS.programDepth) this.fail(`nested more than ${LIMITS.programDepth} deep`);
    const result = decode();
    this.#depth--;
    return result;
  }

  object(value: Json): JsonObject {
    if (value === null || typeof value !== "object" || Array.isArray(value)) return this.#expected("an object", value);
    return value as JsonObject;
  }

  string(value: Json): string {
    return typeof value === "string" ? value : this.#expected("a string", value);
  }

  bool(value: Json): boolean {
    return typeof value === "boolean" ? value : this.#expected("true or false", value);
  }

  int(value: Json): Int {
    return exactInt(value) ?? this.#expected("a 64-bit integer", value);
  }

  /** Decodes an integer that Python computes with, such as the sum of the largest sizes that PyTorch asserts. */
  wideInt(value: Json): Int {
    return pythonInt(value) ?? this.#expected("an integer", value);
  }

  /** Decodes an integer that counts or enumerates, so a double holds it. */
  smallInt(value: Json): number {
    const int = exactInt(value);
    return typeof int === "number" ? int : this.#expected("an integer", value);
  }

  float(value: Json): number {
    if (typeof value === "number") return value;
    if (value === "Infinity") return Number.POSITIVE_INFINITY;
    if (value === "-Infinity") return Number.NEGATIVE_INFINITY;
    if (value === "NaN") return Number.NaN;
    const int = exactInt(value);
    return int === undefined ? this.#expected("a number", value) : Number(int);
  }

  #expected(what: string, value: Json): never {
    const text = JSON.stringify(value) ?? String(value);
    return this.fail(`expected ${what}, found ${text.length > 60 ? `${text.slice(0, 60)}…` : text}`);
  }
}

/** The decoder of strings, to be passed by name. */
export const string: Decode<string> = (json, value) => json.string(value);
/** The decoder of booleans. */
export const bool: Decode<boolean> = (json, value) => json.bool(value);
/** The decoder of 64-bit integers. */
export const int: Decode<Int> = (json, value) => json.int(value);
/** The decoder of integers that may have more than 64 bits. */
export const wideInt: Decode<Int> = (json, value) => json.wideInt(value);
/** The decoder of integers that a double holds. */
export const smallInt: Decode<number> = (json, value) => json.smallInt(value);
/** The decoder of floats. */
export const float: Decode<number> = (json, value) => json.float(value);

/** Creates a decoder of lists. */
export function listOf<T>(decode: Decode<T>): Decode<readonly T[]> {
  return (json, value) => json.list(value, decode);
}

/** Creates a decoder of objects as maps. */
export function mapOf<T>(decode: Decode<T>): Decode<ReadonlyMap<string, T>> {
  return (json, value) => json.map(value, decode);
}
