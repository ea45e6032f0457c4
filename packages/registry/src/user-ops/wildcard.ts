import { type OpName, parseOpName, splitOpName } from "@pt2/graph";

/** Returns whether a handler's name has wildcards: more than `ns::op.*`, which names one op and all its overloads. */
export function isWildcard(text: string): boolean {
  return text.replace(/\.\*$/, "").includes("*") || (text.endsWith(".*") && splitOpName(parseOpName(text)).op === "*");
}

/** Returns the canonical form of a name with wildcards, from every spelling that names of ops have. */
export function wildcardName(text: string): string {
  if (text === "*") return "*::*";
  const name = parseOpName(text);
  return text.endsWith(".default") ? `${name}.default` : name;
}

/**
 * Returns a function that tells which ops a name with wildcards matches. `*` stands for any letters of the namespace, of
 * the op, or of the overload; without an overload, all of them match.
 */
export function matcherOf(text: string): (op: OpName) => boolean {
  const { namespace, op, overload } = splitOpName(wildcardName(text));
  const overloads = overload === "" ? "\\..*" : `\\.${glob(overload, ".*")}`;
  const pattern = new RegExp(`^${glob(namespace, "[^:]*")}::${glob(op, "[^.]*")}${overloads}$`);
  return (name) => pattern.test(splitOpName(name).overload === "" ? `${name}.default` : name);
}

function glob(text: string, any: string): string {
  return text.split("*").map(escaped).join(any);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
