import { RETURN_TYPES } from "./return-types.gen.ts";

const FIELDS: ReadonlyMap<string, readonly string[]> = new Map(
  RETURN_TYPES.flatMap(([classes, fields]) => classes.split(" ").map((name) => [name, fields.split(" ")] as const)),
);

/** The fields of what an op such as `torch.topk` returns in Python: `torch.return_types.topk` has values and indices. */
export function returnFields(type: string): readonly string[] | undefined {
  return FIELDS.get(type.replace(/^torch\.return_types[.:]/, ""));
}
