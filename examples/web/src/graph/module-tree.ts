import type { Node } from "@pt2/graph";

/** A run of consecutive nodes of one module. */
export interface Group {
  readonly kind: "group";
  /** Unique: two calls of one module are two groups. */
  readonly id: string;
  /** `encoder.layers.0`. */
  readonly path: string;
  /** The class of the module where the file records it, such as `TransformerEncoderLayer`. */
  readonly className: string;
  readonly items: readonly Item[];
  /** Nodes in it, at any depth. */
  readonly count: number;
}

/** One node. */
export interface Leaf {
  readonly kind: "leaf";
  readonly node: Node;
}

export type Item = Group | Leaf;

/**
 * Nodes in execution order as the tree of modules that they come from. A group holds consecutive nodes only, so that
 * boxes for groups never depend on each other in a circle.
 */
export function moduleTree(nodes: readonly Node[]): readonly Item[] {
  return itemsOf(nodes, 0, "");
}

/** Groups from the outermost to the innermost that hold a node. */
export function groupsAround(items: readonly Item[], name: string): readonly Group[] {
  for (const item of items) {
    if (item.kind === "leaf") {
      if (item.node.name === name) return [];
      continue;
    }
    if (!contains(item, name)) continue;
    return [item, ...groupsAround(item.items, name)];
  }
  return [];
}

/** The nodes of an item, in execution order. */
export function nodesOf(item: Item): readonly Node[] {
  return item.kind === "leaf" ? [item.node] : item.items.flatMap(nodesOf);
}

/** Every group of a tree, outer ones first. */
export function groupsOf(items: readonly Item[]): readonly Group[] {
  return items.flatMap((item) => (item.kind === "group" ? [item, ...groupsOf(item.items)] : []));
}

/** Groups to open so that at most `most` boxes show: whole levels of the tree, from the outside in. */
export function openWithin(items: readonly Item[], most: number): ReadonlySet<string> {
  const open = new Set<string>();
  let shown = items.length;
  for (let level = items; ; ) {
    const groups = level.filter((item) => item.kind === "group");
    shown += groups.reduce((sum, { items: inner }) => sum + inner.length - 1, 0);
    if (groups.length === 0 || shown > most) return open;
    for (const { id } of groups) open.add(id);
    level = groups.flatMap(({ items: inner }) => inner);
  }
}

function contains(item: Item, name: string): boolean {
  return nodesOf(item).some((node) => node.name === name);
}

function itemsOf(nodes: readonly Node[], depth: number, prefix: string): readonly Item[] {
  const items: Item[] = [];
  let at = 0;
  while (at < nodes.length) {
    const step = stepOf(nodes[at]!, depth);
    let end = at + 1;
    while (step !== undefined && end < nodes.length && stepOf(nodes[end]!, depth) === step) end++;
    const run = nodes.slice(at, end);
    if (step === undefined) items.push({ kind: "leaf", node: run[0]! });
    else items.push(itemOf(run, depth + 1, prefix === "" ? step : `${prefix}.${step}`));
    at = end;
  }
  return items;
}

/** A module that only holds one other, or one node, is not a box of its own. */
function itemOf(nodes: readonly Node[], depth: number, path: string): Item {
  const items = itemsOf(nodes, depth, path);
  if (items.length === 1) return items[0]!;
  const own = nodes.find(({ origin }) => origin.modulePath === path);
  const className = own?.origin.moduleClass?.split(".").at(-1) ?? "";
  return { kind: "group", id: `${path}@${nodes[0]!.name}`, path, className, items, count: nodes.length };
}

function stepOf({ origin }: Node, depth: number): string | undefined {
  const path = origin.modulePath;
  return path === undefined || path === "" ? undefined : path.split(".")[depth];
}
