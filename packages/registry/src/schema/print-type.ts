import type { AliasAnnotation, SchemaType } from "./types.ts";

/** Prints a type as PyTorch does, `int[2]?`. */
export function printType(type: SchemaType, alias: AliasAnnotation | null = null): string {
  switch (type.kind) {
    case "base":
      return type.base + printAlias(alias);
    case "optional":
      return `${printType(type.inner, alias)}?`;
    case "list":
      return alias?.onList
        ? `${printType(type.inner)}[${type.size ?? ""}]${printAlias(alias)}`
        : `${printType(type.inner, alias)}[${type.size ?? ""}]`;
    case "dict":
      return `Dict(${printType(type.key)}, ${printType(type.value)})${printAlias(alias)}`;
    case "tuple":
      return `(${type.items.map((item) => printType(item)).join(", ")})${printAlias(alias)}`;
  }
}

function printAlias(alias: AliasAnnotation | null): string {
  if (alias === null) return "";
  const after = alias.after === undefined ? "" : ` -> ${alias.after.join("|")}`;
  return `(${alias.sets.join("|")}${alias.write ? "!" : ""}${after})`;
}
