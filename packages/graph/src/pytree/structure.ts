import type { TreeSpec } from "@pt2/format";
import { returnFields } from "./return-types.ts";

/** Field names of each namedtuple type, as a program carries them. */
export type NamedTuples = ReadonlyMap<string, readonly string[]>;

/** A key of a Python dict that JSON can hold. */
export type Key = string | number | boolean | null;

/** How a node of a pytree holds its children. */
export type Structure =
  | { readonly kind: "leaf" }
  /** tuple, list, deque, `torch.Size`: an array. */
  | { readonly kind: "sequence" }
  /** dict and its kin: an object, or a Map where a key is not a string. */
  | { readonly kind: "mapping"; readonly keys: readonly Key[] }
  /** namedtuple, dataclass, and other classes that say how their parts are named: an object; `absent` ones are None. */
  | { readonly kind: "record"; readonly fields: readonly string[]; readonly absent: readonly string[] }
  /** Anything else: its leaves one after the other, in an array. */
  | { readonly kind: "opaque" };

const SEQUENCES = /^(builtins\.(tuple|list)|torch\.Size|collections\.deque|.*immutable_list)$/;
const MAPPINGS = /^(builtins\.dict|collections\.OrderedDict|.*immutable_dict)$/;

/** What a node of a pytree is in JavaScript. */
export function structureOf({ type, context, children }: TreeSpec, namedTuples: NamedTuples): Structure {
  if (type === null) return { kind: "leaf" };
  if (SEQUENCES.test(type)) return { kind: "sequence" };
  const count = children.length;
  const keys = MAPPINGS.test(type) ? context : type === "collections.defaultdict" ? dictContext(context) : null;
  if (isKeys(keys, count)) return { kind: "mapping", keys };
  if (type === "collections.namedtuple") {
    const fields = typeof context === "string" ? namedTuples.get(context) : undefined;
    return fields?.length === count ? { kind: "record", fields, absent: [] } : { kind: "sequence" };
  }
  const returned = returnFields(type);
  if (returned?.length === count) return { kind: "record", fields: returned, absent: [] };
  return recordOf(context, count) ?? { kind: "opaque" };
}

/**
 * Classes say in their own words what their children are. A list of as many strings is the names: the whole context of
 * `ModelOutput`s, the first part of that of dataclasses (behind it are the fields that are None) and of caches, one
 * entry of that of a `TensorDict`.
 */
function recordOf(context: unknown, count: number): Structure | undefined {
  if (isFields(context, count)) return { kind: "record", fields: context, absent: [] };
  if (typeof context !== "object" || context === null) return undefined;
  const [first, second] = Array.isArray(context) ? context : [];
  const fields = isFields(first, count) ? first : Object.values(context).find((part) => isFields(part, count));
  return fields && { kind: "record", fields, absent: fields === first && isNames(second) ? second : [] };
}

/** Number of leaves. */
export function countLeaves(spec: TreeSpec): number {
  return spec.type === null ? 1 : spec.children.reduce((sum, child) => sum + countLeaves(child), 0);
}

/** `pair` and `left` give `pair.left`, `x` and 0 give `x[0]`. */
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
