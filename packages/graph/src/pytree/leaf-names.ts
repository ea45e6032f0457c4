import type { TreeSpec } from "@pt2/format";
import { childName, countLeaves, type Key, type NamedTuples, structureOf } from "./pytree-structure.ts";

/** Returns a name for each leaf of one value: `pair.left`, `x[0]`. */
export function leafNames(spec: TreeSpec, name = "", namedTuples: NamedTuples = new Map()): readonly string[] {
  const structure = structureOf(spec, namedTuples);
  if (structure.kind === "leaf") return [name];
  if (structure.kind === "opaque") return Array.from({ length: countLeaves(spec) }, (_, i) => childName(name, i));
  const keys: readonly Key[] =
    structure.kind === "mapping"
      ? structure.keys
      : structure.kind === "record"
        ? structure.fields
        : spec.children.map((_, i) => i);
  return spec.children.flatMap((child, i) => leafNames(child, childName(name, keys[i]!), namedTuples));
}

/** Returns a name for each leaf of a call, from the names of `forward`'s parameters. */
export function inputNames(
  spec: TreeSpec,
  forwardArgs: readonly string[],
  namedTuples: NamedTuples = new Map(),
): readonly string[] {
  const [positional, keyword] = spec.children;
  if (positional === undefined || keyword === undefined) return leafNames(spec, "", namedTuples);
  return [
    ...positional.children.flatMap((child, i) => leafNames(child, forwardArgs[i] ?? `args[${i}]`, namedTuples)),
    ...leafNames(keyword, "", namedTuples),
  ];
}
