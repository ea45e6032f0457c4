import { definitionsOf, type Graph, type Node, type Program, requireSubject, usesOf } from "@pt2/graph";

/** Consecutive nodes of one module, drawn as one box. */
export interface Fold {
  /** The path of the module, such as `layers.0`; empty for the root. */
  readonly module: string;
  /** The module's class, known if a node belongs to the module itself and not to a child. */
  readonly className: string | null;
  readonly nodes: readonly Node[];
}

/**
 * Groups the nodes of modules at this depth: at 1 all of `layers`, at 2 all of `layers.0`. Only consecutive nodes are
 * grouped, so that no arrow leads back; a module that is interrupted by other nodes has several folds.
 */
export function foldModules(nodes: readonly Node[], depth: number): readonly Fold[] {
  const folds: { module: string | null; nodes: Node[] }[] = [];
  for (const node of nodes) {
    const module = moduleAt(node, depth);
    const last = folds.at(-1);
    if (last !== undefined && module !== null && last.module === module) last.nodes.push(node);
    else folds.push({ module, nodes: [node] });
  }
  return folds.map(({ module, nodes: joined }) => ({
    module: module ?? "",
    className: joined.find(({ origin }) => origin.modulePath === module)?.origin.moduleClass ?? null,
    nodes: joined,
  }));
}

/** Returns the greatest depth that gives at most so many boxes, and optionally at most so many arrows. */
export function depthFor(subject: Program | Graph, boxes: number, arrows: number = Number.POSITIVE_INFINITY): number {
  requireSubject("depthFor()", subject);
  const { nodes } = "nodes" in subject ? subject : subject.graph;
  let depth = Math.max(0, ...nodes.map(({ origin }) => depthOf(origin.modulePath))) + 1;
  while (depth > 1) {
    const folds = foldModules(nodes, depth);
    if (folds.length <= boxes && arrowsBetween(folds) <= arrows) break;
    depth--;
  }
  return depth;
}

function arrowsBetween(folds: readonly Fold[]): number {
  const source = new Map<string, number>();
  let count = 0;
  folds.forEach(({ nodes }, at) => {
    const from = new Set<number | undefined>();
    for (const node of nodes) {
      for (const used of usesOf(node)) from.add(source.get(used));
      for (const defined of definitionsOf(node)) source.set(defined, at);
    }
    from.delete(at);
    from.delete(undefined);
    count += from.size;
  });
  return count;
}

/** Returns null for nodes above that depth. */
function moduleAt({ origin }: Node, depth: number): string | null {
  const path = origin.modulePath;
  if (depth === 0) return "";
  if (path === undefined || depthOf(path) < depth) return null;
  return path.split(".").slice(0, depth).join(".");
}

function depthOf(path: string | undefined): number {
  return path === undefined || path === "" ? 0 : path.split(".").length;
}
