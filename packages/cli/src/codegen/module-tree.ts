import type { Node } from "@pt2/graph";

/** The nodes of one call of a module, in order, with the modules that it calls. */
export interface ModuleCall {
  /** The path of the module from the root: `layers.0.conv1`; empty for the root. */
  readonly path: string;
  /** The class of the module, without its package; null if no node of its own tells. */
  readonly className: string | null;
  readonly items: readonly (Node | ModuleCall)[];
}

/** Groups nodes by the modules in which PyTorch ran them. A module without an op of its own (a list) is not a call. */
export function moduleTree(nodes: readonly Node[]): ModuleCall {
  return callOf("", withPaths(nodes));
}

/** Returns the nodes of a call, those of the modules that it calls too. */
export function nodesOf({ items }: ModuleCall): readonly Node[] {
  return items.flatMap((item) => ("items" in item ? nodesOf(item) : [item]));
}

interface Placed {
  readonly node: Node;
  readonly path: readonly string[];
}

/** Passes make nodes that have no module: they belong where the node before them does. */
function withPaths(nodes: readonly Node[]): readonly Placed[] {
  let path: readonly string[] = [];
  return nodes.map((node) => {
    const own = node.origin.modulePath;
    if (own !== undefined) path = own === "" ? [] : own.split(".");
    return { node, path };
  });
}

function callOf(prefix: string, placed: readonly Placed[]): ModuleCall {
  const depth = prefix === "" ? 0 : prefix.split(".").length;
  const items: (Node | ModuleCall)[] = [];
  let className: string | null = null;
  for (let at = 0; at < placed.length; ) {
    const { node, path } = placed[at]!;
    const name = path[depth];
    if (name === undefined) {
      className ??= node.origin.moduleClass?.split(".").at(-1) ?? null;
      items.push(node);
      at++;
      continue;
    }
    let end = at;
    while (end < placed.length && placed[end]!.path[depth] === name) end++;
    const inner = callOf(prefix === "" ? name : `${prefix}.${name}`, placed.slice(at, end));
    items.push(...(isCall(inner) ? [inner] : inner.items));
    at = end;
  }
  return { path: prefix, className, items };
}

/** Whether a module deserves a function: it has several parts, and is more than a list of modules. */
function isCall({ items, className }: ModuleCall): boolean {
  if (items.length < 2) return false;
  return className !== null || !items.every((item) => "items" in item && /^\d+$/.test(item.path.split(".").at(-1)!));
}
