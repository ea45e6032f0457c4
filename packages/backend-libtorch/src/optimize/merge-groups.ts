import { definitionsOf, type Graph, type Node } from "@pt2/graph";
import { type Group, grouped, type Readers } from "./pointwise-group.ts";

/** Where groups are, and what may not be passed. */
export interface Surroundings {
  readonly graph: Graph;
  readonly readers: Readers;
  isPure(node: Node): boolean;
}

/**
 * Computes a group together with an earlier one where that is less work, because both compute the same in part: an
 * activation that is computed again for a gradient, and its slope. What the later one reads is there already, and
 * nothing in between changes it.
 *
 * Its results are there sooner, and take memory for longer. So they have to take the place of something that nothing else
 * reads; what is computed again in order not to be kept stays where it is.
 */
export function mergeGroups(groups: readonly Group[], { graph, readers, isPure }: Surroundings): readonly Group[] {
  const order = new Map(graph.nodes.map((node, i) => [node, i]));
  const defined = new Map(graph.nodes.flatMap((node, i) => definitionsOf(node).map((name) => [name, i] as const)));
  const barriers = graph.nodes.flatMap((node, i) => (isPure(node) ? [] : [i]));
  const placeOf = ({ place }: Group): number => order.get(place)!;
  const merged: Group[] = [];
  /** The last group that reads each value. */
  const lastReader = new Map<string, number>();

  const mergedWith = (group: Group, earlier: Group): Group | null => {
    const place = placeOf(earlier);
    if (earlier.layout !== group.layout || barriers.some((at) => at > place && at < placeOf(group))) return null;
    const shared = new Set([...earlier.code.inputs, ...earlier.code.names]);
    const isThere = (name: string): boolean => shared.has(name) || (defined.get(name) ?? -1) < place;
    const nodes = new Set<Node | null>(group.members.map(({ node }) => node));
    const isFreed = (name: string): boolean => !shared.has(name) && readers.get(name)!.every((node) => nodes.has(node));
    if (!group.code.inputs.every(isThere) || !group.code.inputs.some(isFreed)) return null;
    const members = [...earlier.members, ...group.members];
    const both = grouped({ layout: group.layout, members }, readers, earlier.place);
    const apart = earlier.code.code.length + group.code.code.length;
    return both !== null && both.code.code.length < apart ? both : null;
  };

  for (const group of groups.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const at = Math.max(-1, ...group.code.inputs.map((name) => lastReader.get(name) ?? -1));
    const both = at < 0 ? null : mergedWith(group, merged[at]!);
    const index = both === null ? merged.length : at;
    merged[index] = both ?? group;
    for (const name of merged[index].code.inputs) lastReader.set(name, Math.max(index, lastReader.get(name) ?? -1));
  }
  return merged;
}
