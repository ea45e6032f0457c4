import type { TreeSpec } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import { countLeaves, type NamedTuples, structureOf } from "./pytree-structure.ts";

/**
 * Builds the value of a pytree from its leaves: arrays for tuples and lists, objects for dicts with string keys and for
 * named tuples, a Map for a dict with any other key, and an array of leaves for unknown classes.
 */
export function unflatten<T>(spec: TreeSpec, leaves: readonly T[], namedTuples: NamedTuples = new Map()): unknown {
  const count = countLeaves(spec);
  if (leaves.length !== count) {
    throw graphError("graph.input-tree", {
      what: `A structure of ${count} leaves cannot be built from ${leaves.length}`,
    });
  }
  let at = 0;
  const build = (node: TreeSpec): unknown => {
    const structure = structureOf(node, namedTuples);
    if (structure.kind === "leaf") return leaves[at++];
    if (structure.kind === "opaque") {
      const start = at;
      at += countLeaves(node);
      return leaves.slice(start, at);
    }
    const children = node.children.map(build);
    if (structure.kind === "sequence") return children;
    if (structure.kind === "mapping") {
      const entries = structure.keys.map((key, i) => [key, children[i]] as const);
      return structure.keys.every((key) => typeof key === "string") ? Object.fromEntries(entries) : new Map(entries);
    }
    const present = structure.fields.map((field, i) => [field, children[i]] as const);
    return Object.fromEntries([...present, ...structure.absent.map((field) => [field, null] as const)]);
  };
  return build(spec);
}
