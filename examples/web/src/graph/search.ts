import type { Node } from "@pt2/graph";

/** The nodes whose op, name, module or Python line contain every word of a query, in execution order. */
export function search(nodes: readonly Node[], query: string): readonly Node[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [];
  return nodes.filter(({ op, name, origin }) => {
    const text = [op, name, origin.modulePath, origin.moduleClass, origin.line, origin.code].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
