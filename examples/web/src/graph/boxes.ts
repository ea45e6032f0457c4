import { type Arrow, type Family, familyOf, plural } from "@pt2/cli";
import { definitionsOf, type Graph, type Node, type Program, usesOf, valuesOf } from "@pt2/graph";
import { type Group, type Item, nodesOf } from "./module-tree.ts";
import { opTitle, typeText } from "./titles.ts";

/** What is drawn as one box. */
export interface GraphBox {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  readonly family: Family | "group";
  /** What it stands for: nodes, or an input, or the output. */
  readonly nodes: readonly Node[];
  /** The group that it closes, which opening it would show. */
  readonly group: Group | null;
}

/** What is drawn: boxes in an order in which arrows go forwards. */
export interface Picture {
  readonly boxes: readonly GraphBox[];
  readonly arrows: readonly Arrow[];
}

/** The boxes for a tree of modules, of which the groups in `open` show what they hold. Weights are not drawn. */
export function pictureOf(
  graph: Graph,
  items: readonly Item[],
  open: ReadonlySet<string>,
  inputs: readonly string[],
): Picture {
  const boxes: GraphBox[] = inputs.map((name) => ({
    id: `in ${name}`,
    title: name,
    detail: typeText(graph.values.get(name)),
    family: "input",
    nodes: [],
    group: null,
  }));
  for (const item of shown(items, open)) boxes.push(boxOf(graph, item));

  const source = new Map<string, string>(inputs.map((name) => [name, `in ${name}`]));
  for (const { id, nodes } of boxes)
    for (const node of nodes) for (const name of definitionsOf(node)) source.set(name, id);
  const arrows: Arrow[] = [];
  const connect = (names: Iterable<string>, to: string): void => {
    const from = new Set([...names].map((name) => source.get(name)));
    for (const each of from) if (each !== undefined && each !== to) arrows.push({ from: each, to });
  };
  for (const { id, nodes } of boxes) connect(nodes.flatMap(usesOf), id);
  if (graph.outputs.length > 0) {
    boxes.push({ id: "out", title: "output", detail: "", family: "output", nodes: [], group: null });
    connect(graph.outputs.flatMap(valuesOf), "out");
  }
  return { boxes, arrows };
}

/** Names of the values that the caller gives, for the root graph; all inputs of a nested one. */
export function drawnInputs(program: Program, graph: Graph): readonly string[] {
  if (graph !== program.graph) return graph.inputs.filter((name) => name !== null);
  return program.inputs.flatMap((spec) => (spec.kind === "user_input" && spec.value !== null ? spec.value : []));
}

function shown(items: readonly Item[], open: ReadonlySet<string>): readonly Item[] {
  return items.flatMap((item) => (item.kind === "group" && open.has(item.id) ? shown(item.items, open) : item));
}

function boxOf(graph: Graph, item: Item): GraphBox {
  const nodes = nodesOf(item);
  if (item.kind === "group") {
    const size = plural(item.count, "node");
    const detail = item.className === "" ? size : `${item.className} · ${size}`;
    return { id: item.id, title: item.path, detail, family: "group", nodes, group: item };
  }
  const { node } = item;
  const type = graph.values.get(definitionsOf(node)[0] ?? "");
  return {
    id: `node ${node.name}`,
    title: opTitle(node.op),
    detail: typeText(type),
    family: familyOf(node.op),
    nodes,
    group: null,
  };
}
