import { graphError } from "../graph-errors.ts";
import type { Json } from "./json-types.ts";

/** Deeper documents are rejected, to bound the stack. */
const MAX_DEPTH = 500;

/** A JSON value with its path, which error messages name. */
export class JsonReader {
  readonly value: Json | undefined;
  readonly path: string;
  readonly #depth: number;

  constructor(value: Json | undefined, path = "$", depth = 0) {
    this.value = value;
    this.path = path;
    this.#depth = depth;
    if (depth > MAX_DEPTH) this.fail(`nothing nested deeper than ${MAX_DEPTH}`);
  }

  fail(expected: string): never {
    throw graphError("graph.json", {
      what: `The document must have ${expected} at this path`,
      where: this.path,
      advice: "write the document with `toJson` of the same version",
    });
  }

  /** Returns the member of an object; its value is undefined where it is missing. */
  at(key: string): JsonReader {
    const members = this.#members();
    return new JsonReader(
      Object.hasOwn(members, key) ? members[key] : undefined,
      `${this.path}.${key}`,
      this.#depth + 1,
    );
  }

  list<T>(item: (reader: JsonReader) => T): readonly T[] {
    if (!Array.isArray(this.value)) return this.fail("an array");
    return this.value.map((value: Json, i) => item(new JsonReader(value, `${this.path}[${i}]`, this.#depth + 1)));
  }

  map<T>(item: (reader: JsonReader) => T): ReadonlyMap<string, T> {
    return new Map(Object.keys(this.#members()).map((key) => [key, item(this.at(key))] as const));
  }

  string(): string {
    return typeof this.value === "string" ? this.value : this.fail("a string");
  }

  boolean(): boolean {
    return typeof this.value === "boolean" ? this.value : this.fail("true or false");
  }

  /** Returns the value if it is one of the given strings, else throws. */
  oneOf<T extends string>(choices: readonly T[]): T {
    const found = choices.find((choice) => choice === this.value);
    return found ?? this.fail(`one of ${choices.join(", ")}`);
  }

  int(): number | bigint {
    const tagged = this.#tag("$int");
    if (tagged !== null) return /^-?\d+$/.test(tagged) ? BigInt(tagged) : this.fail("digits");
    return Number.isInteger(this.value) ? (this.value as number) : this.fail("an integer");
  }

  float(): number {
    const tagged = this.#tag("$float");
    if (tagged !== null) return Number(tagged);
    return typeof this.value === "number" ? this.value : this.fail("a number");
  }

  nullable<T>(read: (reader: JsonReader) => T): T | null {
    return this.value === null ? null : read(this);
  }

  #tag(key: string): string | null {
    const tagged = typeof this.value === "object" && this.value !== null && !Array.isArray(this.value);
    return tagged ? this.at(key).string() : null;
  }

  #members(): { readonly [key: string]: Json } {
    const { value } = this;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return this.fail("an object");
    return value as { readonly [key: string]: Json };
  }
}
