import { argOf, definitionsOf, type Program, usesOf } from "@pt2/graph";

/** Where an integer input is an index, it must be below this; without a sign of that, 0 and 1 are safe. */
const UNKNOWN = 2;

/**
 * How large an integer input may be: the number of rows of the smallest table that it looks up, directly or through ops
 * that give integers again (`view`, `slice`, `add`, …).
 */
export function indexLimit({ graph }: Program, input: string): number {
  const derived = new Set([input]);
  let limit = Number.POSITIVE_INFINITY;
  for (const node of graph.nodes) {
    if (!usesOf(node).some((name) => derived.has(name))) continue;
    const [table, indices] = [argOf(node, "weight"), argOf(node, "indices")];
    if (indices?.kind === "value" && derived.has(indices.name) && table?.kind === "value") {
      const type = graph.values.get(table.name);
      const rows = type?.kind === "tensor" ? type.shape[0] : undefined;
      if (typeof rows === "number") limit = Math.min(limit, rows);
      continue;
    }
    for (const name of definitionsOf(node)) {
      const type = graph.values.get(name);
      if (type?.kind === "tensor" && /^u?int/.test(type.dtype)) derived.add(name);
    }
  }
  return Number.isFinite(limit) ? limit : UNKNOWN;
}
