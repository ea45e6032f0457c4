import type { Arg, ValueType } from "@pt2/graph";
import type { SchemaType } from "./schema/types.ts";

/** The types of the values of a graph, by name. */
export type ValueTypes = ReadonlyMap<string, ValueType>;

type Kind = Arg["kind"] | ValueType["kind"];

const NUMBERS: readonly Kind[] = ["int", "float", "bool", "complex", "symint", "symfloat", "symbool"];

/**
 * The kinds of arguments that each schema type accepts; types that are not listed accept any kind. A number is accepted
 * where a 0-d tensor is.
 */
const KINDS: Readonly<Record<string, readonly Kind[]>> = {
  Tensor: ["tensor", ...NUMBERS],
  Scalar: NUMBERS,
  number: NUMBERS,
  int: ["int", "bool", "symint", "symbool"],
  SymInt: ["int", "bool", "symint", "symbool"],
  float: ["float", "int", "bool", "symfloat", "symint", "symbool"],
  SymFloat: ["float", "int", "bool", "symfloat", "symint", "symbool"],
  bool: ["bool", "int", "symbool", "symint"],
  SymBool: ["bool", "int", "symbool", "symint"],
  str: ["string"],
  ScalarType: ["dtype", "int"],
  Layout: ["layout", "int"],
  MemoryFormat: ["memory_format", "int"],
  Device: ["device", "string"],
};

/**
 * Returns what is wrong with the kind of an argument for its schema type, or null. A value of unknown type may be of
 * any kind.
 */
export function kindProblem(arg: Arg, type: SchemaType, types: ValueTypes): string | null {
  if (type.kind === "optional") return arg.kind === "none" ? null : kindProblem(arg, type.inner, types);
  if (type.kind === "list") return listProblem(arg, type, types);
  const allowed = type.kind === "base" ? KINDS[type.base] : undefined;
  const kind = arg.kind === "value" ? (types.get(arg.name)?.kind ?? "object") : arg.kind;
  return allowed === undefined || kind === "object" || allowed.includes(kind) ? null : `is ${describe(kind)}`;
}

function listProblem(
  arg: Arg,
  { inner, size }: SchemaType & { readonly kind: "list" },
  types: ValueTypes,
): string | null {
  if (arg.kind !== "list") {
    const isObject = arg.kind === "value" && (types.get(arg.name)?.kind ?? "object") === "object";
    return isObject ? null : size === null ? `is ${describe(arg.kind)}` : kindProblem(arg, inner, types);
  }
  const count = arg.items.length;
  // `int[1]` accepts one entry per dimension as well, and an empty list for the op's default.
  const isFixed = size !== null && size > 1;
  if (isFixed && count > 1 && count !== size) return `has ${count} items, and must have ${size}`;
  for (const item of arg.items) {
    const problem = kindProblem(item, inner, types);
    if (problem !== null) return `has an item that ${problem}`;
  }
  return null;
}

function describe(kind: Kind): string {
  return kind === "none" ? "None" : `of kind ${kind}`;
}
