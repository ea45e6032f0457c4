import type { TreeSpec } from "@pt2/format";

/** Writes a pytree as the text that `torch.utils._pytree` reads, protocol 1. */
export function exportTree(spec: TreeSpec): string {
  return JSON.stringify([1, encode(spec)]);
}

function encode({ type, context, children }: TreeSpec): unknown {
  if (type === null) return { type: null, context: null, children_spec: [] };
  // An object of a library that was unfolded into containers with names (`unfoldObjects`): Python gets dictionaries.
  const fields = type.includes(":") ? unfoldedFields(context) : undefined;
  return {
    type: fields === undefined ? type : "builtins.dict",
    context: encodeContext(type, fields ?? context),
    children_spec: children.map(encode),
  };
}

function unfoldedFields(context: unknown): readonly unknown[] | undefined {
  if (Array.isArray(context)) return context;
  const isObject = typeof context === "object" && context !== null;
  return isObject && "fields" in context && Array.isArray(context.fields) ? context.fields : undefined;
}

/** A context is JSON in a string; a namedtuple's is a bare name, and a defaultdict's an object. */
function encodeContext(type: string, context: unknown): unknown {
  const isBare = type === "collections.namedtuple" && typeof context === "string";
  const isObject = typeof context === "object" && context !== null && !Array.isArray(context);
  return isBare || isObject ? context : JSON.stringify(context);
}
