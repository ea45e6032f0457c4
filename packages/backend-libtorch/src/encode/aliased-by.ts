import { argOf, type Node, valuesOf } from "@pt2/graph";
import type { OpEffects } from "@pt2/graph/passes";

/** Returns the values of which the result at this position may be a view. */
export function aliasedBy(node: Node, { aliases }: OpEffects, at: number): readonly string[] {
  return aliases.flatMap((alias) => {
    const given = alias.output === at ? argOf(node, alias.arg) : undefined;
    return given === undefined ? [] : valuesOf(given);
  });
}
