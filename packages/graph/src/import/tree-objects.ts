import type { TreeSpec } from "@pt2/format";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Unfolds the objects that the exporter of transformers writes, mainly caches. Their children are only the tensors, and
 * their context is the object as JSON with `{ "_t": "tensor", "i": 0 }` in a tensor's place. Each becomes a tree with
 * names: containers of tensors become nodes, and values without tensors are dropped. An object's context keeps the names
 * of those (`constants`), since a call may have them: what is a number here can be a result of the program before.
 */
export function unfoldObjects(spec: TreeSpec): TreeSpec {
  if (spec.type === null) return spec;
  const children = spec.children.map(unfoldObjects);
  const leaves = children.every(({ type }) => type === null);
  return (leaves && isMarked(spec.context) && unfold(spec.context, children)) || { ...spec, children };
}

function isMarked(context: unknown): context is Fields {
  return isFields(context) && typeof context._t === "string";
}

interface MarkedObject extends Fields {
  /** Its attributes. */
  readonly s: Fields;
}

function isObject(value: unknown): value is MarkedObject {
  return isFields(value) && value._t === "obj" && isFields(value.s);
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns undefined unless the context refers to each tensor once and in order. */
function unfold(context: Fields, leaves: readonly TreeSpec[]): TreeSpec | undefined {
  let next = 0;
  /** Returns undefined for values without tensors. */
  const build = (value: unknown): TreeSpec | undefined => {
    if (Array.isArray(value)) return sequence(value);
    if (!isFields(value)) return undefined;
    if (value._t === undefined) return record("builtins.dict", Object.entries(value));
    if (value._t === "tensor" || value._t === "sym") return value.i === next ? leaves[next++] : undefined;
    if (isObject(value)) {
      const tree = record("", Object.entries(value.s));
      return tree && objectWith(value, tree);
    }
    if (value._t === "map" && isFields(value.v)) return record("builtins.dict", Object.entries(value.v));
    if (value._t === "seq" && Array.isArray(value.v)) return sequence(value.v);
    if (value._t === "items" && Array.isArray(value.v)) return record("builtins.dict", value.v.filter(isPair));
    return undefined;
  };
  const sequence = (items: readonly unknown[]): TreeSpec | undefined => {
    const parts = items.map(build);
    if (parts.every((part) => part === undefined)) return undefined;
    // Items without tensors keep their position.
    return {
      type: "builtins.list",
      context: null,
      children: parts.map((part, i) => part ?? empty(items[i])),
    };
  };
  const record = (type: string, entries: readonly (readonly [unknown, unknown])[]): TreeSpec | undefined => {
    const parts = entries.flatMap(([key, value]) => {
      const part = build(value);
      return part === undefined ? [] : [[key, part] as const];
    });
    if (parts.length === 0) return undefined;
    return { type, context: parts.map(([key]) => key), children: parts.map(([, part]) => part) };
  };
  const tree = build(context) ?? empty(context);
  return next === leaves.length ? tree : undefined;
}

/** What stands for a value without tensors, such as a cache before the first call. */
function empty(value: unknown): TreeSpec {
  return objectWith(isObject(value) ? value : NOTHING, { context: [], children: [] });
}

function objectWith({ p, s }: MarkedObject, { context, children }: Omit<TreeSpec, "type">): TreeSpec {
  const fields = context as readonly unknown[];
  const constants = Object.keys(s).filter((name) => !fields.includes(name));
  return { type: String(p), context: { fields, constants }, children };
}

const NOTHING: MarkedObject = { p: "builtins:object", s: {} };

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}
