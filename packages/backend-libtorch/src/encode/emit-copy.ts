import type { GraphBuilder } from "@pt2/graph/passes";

/** Appends a copy of a value, and returns its name, which ends in `suffix`. */
export function emitCopy(builder: GraphBuilder, name: string, suffix: string): string {
  const args = [{ name: "self", arg: { kind: "value", name } as const }];
  const results = [{ name: `${name}_${suffix}`, type: builder.typeOf(name)! }];
  const [copy] = builder.emit({ op: "aten::clone", args, results, origin: {} });
  return copy!;
}
