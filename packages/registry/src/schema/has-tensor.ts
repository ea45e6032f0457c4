import type { SchemaType } from "./types.ts";

/** Returns whether a value of this type may be a tensor, possibly optional or in a list. */
export function hasTensor(type: SchemaType): boolean {
  return type.kind === "base" ? type.base === "Tensor" : "inner" in type && hasTensor(type.inner);
}
