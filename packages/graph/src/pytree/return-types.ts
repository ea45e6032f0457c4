import { RETURN_TYPES } from "./return-types.gen.ts";

const FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  RETURN_TYPES.flatMap(([classes, fields]) => classes.split(" ").map((name) => [name, fields.split(" ")] as const)),
);

/** Returns the fields of an op's return type in Python: `torch.return_types.topk` has values and indices. */
export function returnFields(type: string): readonly string[] | undefined {
  return FIELDS.get(type.replace(/^torch\.return_types[.:]/, ""));
}
