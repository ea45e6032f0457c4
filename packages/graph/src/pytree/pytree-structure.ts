import type { TreeSpec } from "@pt2/format";
import { returnFields } from "./return-types.ts";

/** The field names of each namedtuple type. */
export type NamedTuples = ReadonlyMap<string, readonly string[]>;

/** A key of a Python dict that JSON can hold. */
export type Key = string | number | boolean | null;

/** The structure of a pytree node in JavaScript. */
export type Structure =
  | { readonly kind: "leaf" }
  /** tuple, list, deque, `torch.Size`: an array. */
  | { readonly kind: "sequence" }
  /** dict and its subclasses: an object, or a Map where a key is not a string. */
  | { readonly kind: "mapping"; readonly keys: readonly Key[] }
  /**
   * namedtuple, dataclass, and other classes with named fields: an object. `absent` fields are None; `constants` hold no
   * leaves, so that results lack them, and what an argument has there is ignored if it cannot hold a tensor.
   */
  | {
      readonly kind: "record";
      readonly fields: readonly string[];
      readonly absent: readonly string[];
      readonly constants: readonly string[];
    }
  /** Any other class: an array of its leaves. */
  | { readonly kind: "opaque" };

const SEQUENCES = /^(builtins\.(tuple|list)|torch\.Size|collections\.deque|.*immutable_list)$/;
const MAPPINGS = /^(builtins\.dict|collections\.OrderedDict|.*immutable_dict)$/;

/** Returns the JavaScript structure of a pytree node. */
export function structureOf({ type, context, children }: TreeSpec, namedTuples: NamedTuples): Structure {
  if (type === null) return { kind: "leaf" };
  if (SEQUENCES.test(type)) return { kind: "sequence" };
  const count = children.length;
  const keys = MAPPINGS.test(type) ? context : type === "collections.defaultdict" ? dictContext(context) : null;
  if (isKeys(keys, count)) return { kind: "mapping", keys };
  if (type === "collections.namedtuple") {
    const fields = typeof context === "string" ? namedTuples.get(context) : undefined;
    return fields?.length === count ? record(fields) : { kind: "sequence" };
  }
  const returned = returnFields(type);
  if (returned?.length === count) return record(returned);
  return recordOf(context, count) ?? { kind: "opaque" };
}

/**
 * Finds the field names in a class's context: a list of as many strings as children. For `ModelOutput`s it is the whole
 * context, for dataclasses its first part (followed by the fields that are None), for caches too, and for a
 * `TensorDict` one entry. Objects that were unfolded have `{ fields, constants }`.
 */
function recordOf(context: unknown, count: number): Structure | undefined {
  if (isFields(context, count)) return record(context);
  if (typeof context !== "object" || context === null) return undefined;
  const [first, second] = Array.isArray(context) ? context : [];
  const fields = isFields(first, count) ? first : Object.values(context).find((part) => isFields(part, count));
  if (fields === undefined) return undefined;
  const constants = "constants" in context && isNames(context.constants) ? context.constants : [];
  return record(fields, fields === first && isNames(second) ? second : [], constants);
}

function record(
  fields: readonly string[],
  absent: readonly string[] = [],
  constants: readonly string[] = [],
): Structure {
  return { kind: "record", fields, absent, constants };
}

/** Counts leaves. */
export function countLeaves(spec: TreeSpec): number {
  return spec.type === null ? 1 : spec.children.reduce((sum, child) => sum + countLeaves(child), 0);
}

/** Joins `pair` and `left` to `pair.left`, `x` and 0 to `x[0]`. */
export function childName(parent: string, key: Key): string {
  if (typeof key !== "string") return `${parent}[${key}]`;
  if (parent === "") return key;
  return /^[A-Za-z_]\w*$/.test(key) ? `${parent}.${key}` : `${parent}[${JSON.stringify(key)}]`;
}

function dictContext(context: unknown): unknown {
  return typeof context === "object" && context !== null && "dict_context" in context ? context.dict_context : null;
}

function isKeys(keys: unknown, count: number): keys is readonly Key[] {
  return Array.isArray(keys) && keys.length === count && keys.every((key) => key === null || typeof key !== "object");
}

function isFields(names: unknown, count: number): names is readonly string[] {
  return isNames(names) && names.length === count && new Set(names).size === count;
}

function isNames(names: unknown): names is readonly string[] {
  return Array.isArray(names) && names.every((name) => typeof name === "string");
}
