import type { TreeSpec } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import { childName, countLeaves, type Key, type NamedTuples, structureOf } from "./pytree-structure.ts";

/** Options of flattening. */
export interface TreeOptions {
  /** The field names of named tuples. @default none: named tuples are arrays */
  readonly namedTuples?: NamedTuples;
  /** The names of `forward`'s parameters, for error messages. */
  readonly forwardArgs?: readonly string[];
}

/**
 * Returns the leaves of a call in the order of the program's user inputs. `spec` is the program's `inSpec`; keyword
 * arguments may come in any order. `undefined` and `null` mean Python's None.
 */
export function flatten(
  spec: TreeSpec,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>> = {},
  options: TreeOptions = {},
): readonly unknown[] {
  const flattener = new Flattener(options.namedTuples ?? new Map());
  const [positional, keyword] = spec.children;
  if (positional === undefined || keyword === undefined) {
    flattener.add(spec, args, "");
    return flattener.leaves;
  }
  if (args.length !== positional.children.length) {
    throw treeError("the call", `${positional.children.length} positional arguments`, `${args.length}`);
  }
  positional.children.forEach((child, i) => {
    flattener.add(child, args[i], options.forwardArgs?.[i] ?? `args[${i}]`);
  });
  flattener.add(keyword, kwargs, "");
  return flattener.leaves;
}

class Flattener {
  readonly leaves: unknown[] = [];
  readonly #namedTuples: NamedTuples;

  constructor(namedTuples: NamedTuples) {
    this.#namedTuples = namedTuples;
  }

  add(spec: TreeSpec, value: unknown, name: string): void {
    const structure = structureOf(spec, this.#namedTuples);
    switch (structure.kind) {
      case "leaf":
        this.leaves.push(value ?? null);
        return;
      case "sequence":
        this.#addItems(spec, value, name);
        return;
      case "mapping":
        this.#addEntries(spec, structure.keys, value, name);
        return;
      case "record":
        if (Array.isArray(value)) this.#addItems(spec, value, name);
        else this.#addEntries(spec, structure.fields, value, name, structure.absent, structure.constants);
        return;
      case "opaque":
        this.#addFlat(spec, value, name);
    }
  }

  #addItems(spec: TreeSpec, value: unknown, name: string): void {
    const count = spec.children.length;
    if (!Array.isArray(value)) throw treeError(name, `an array of ${count}`, describe(value));
    if (value.length !== count) throw treeError(name, `an array of ${count}`, `an array of ${value.length}`);
    spec.children.forEach((child, i) => {
      this.add(child, value[i], childName(name, i));
    });
  }

  #addEntries(
    spec: TreeSpec,
    keys: readonly Key[],
    value: unknown,
    name: string,
    absent: readonly string[] = [],
    constants: readonly string[] = [],
  ): void {
    const expected = `an object with ${keys.map((key) => JSON.stringify(key)).join(", ") || "no keys"}`;
    if (!isDictionary(value)) throw treeError(name || "the keyword arguments", expected, describe(value));
    const given = value instanceof Map ? value : new Map(Object.entries(value));
    const find = (key: Key): Key | undefined => [key, String(key)].find((spelling) => given.has(spelling));
    const missing = keys.find((key) => find(key) === undefined);
    if (missing !== undefined) throw treeError(childName(name, missing), "a value", "nothing");
    const known = new Set<unknown>([...keys.map(find), ...absent]);
    const isIgnored = (key: unknown): boolean => constants.includes(key as string) && isPlain(given.get(key));
    const extra = [...given.keys()].find((key) => !known.has(key) && given.get(key) !== undefined && !isIgnored(key));
    if (extra !== undefined)
      throw treeError(childName(name, extra as Key), `nothing (${expected} is expected)`, "a value");
    spec.children.forEach((child, i) => {
      this.add(child, given.get(find(keys[i]!)), childName(name, keys[i]!));
    });
  }

  /** Adds the leaves of an unknown Python class, which the caller passes as an array. */
  #addFlat(spec: TreeSpec, value: unknown, name: string): void {
    const count = countLeaves(spec);
    if (!Array.isArray(value) || value.length !== count) {
      throw treeError(name, `an array of the ${count} leaves of a ${spec.type}`, describe(value));
    }
    this.leaves.push(...value.map((leaf: unknown) => leaf ?? null));
  }
}

function isDictionary(value: unknown): value is Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value of a constant field can be ignored: it has no tensors, and no list of numbers for one. */
function isPlain(value: unknown): boolean {
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every((item) => typeof item === "object" && isPlain(item));
  if (value instanceof Map) return [...value.values()].every(isPlain);
  return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isPlain);
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return `an array of ${value.length}`;
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function treeError(name: string, expected: string, given: string): Error {
  return graphError("graph.input-tree", {
    what: `\`${name}\` must be ${expected}, but got ${given}`,
    where: `input \`${name}\``,
    advice: "pass the arguments in the structure that the program was exported with",
    details: { name },
  });
}
