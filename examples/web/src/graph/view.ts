import type { Graph, Program } from "@pt2/graph";
import { el, icon } from "../page/dom.ts";
import { drawnInputs, pictureOf } from "./boxes.ts";
import { type Anchor, graphCanvas, widthOf } from "./canvas.ts";
import { inspect } from "./inspector.ts";
import { type Layout, layout, type PlacedBox } from "./layout.ts";
import { type Group, groupsAround, groupsOf, type Item, moduleTree, openWithin } from "./module-tree.ts";
import { type Direction, neighbour } from "./neighbours.ts";
import { graphsIn } from "./nested.ts";
import { searchField } from "./search-field.ts";

/** Boxes that are shown before somebody opens a module: a graph of this size is shown whole. */
const BOXES = 80;

/** A drawing of a program that can be moved, enlarged, searched and walked through. */
export interface GraphView {
  readonly element: HTMLElement;
  /** Shows a node, opening the modules around it. */
  reveal(node: string): void;
}

/** Makes the view of a program. */
export function graphView(program: Program): GraphView {
  let graph: Graph = program.graph;
  let tree: readonly Item[] = [];
  let open = new Set<string>();
  let drawn: Layout;
  let selected: string | null = null;

  const inspector = el("div", { class: "inspector", "aria-live": "polite" });
  const canvas = graphCanvas({ onSelect: (box) => select(box), onOpen: (box) => toggle(box) });

  const draw = (anchor?: Anchor): void => {
    drawn = layout(pictureOf(graph, tree, open, drawnInputs(program, graph)), widthOf);
    canvas.show(drawn, anchor);
    const size = `${graph.nodes.length} nodes in ${drawn.boxes.size} boxes`;
    canvas.element.setAttribute("aria-label", `Graph of ${size}. Arrow keys follow it, Enter opens a module.`);
    extent.textContent = size;
  };
  const select = (box: PlacedBox | null): void => {
    selected = box?.box.id ?? null;
    canvas.select(selected);
    const around = box?.box.nodes.length === 1 ? groupsAround(tree, box.box.nodes[0]!.name).at(-1) : undefined;
    inspect(inspector, graph, box?.box ?? null, {
      onOpen: (id) => openGroup(id),
      onClose: around === undefined || !open.has(around.id) ? null : () => closeGroup(around),
    });
  };
  const openGroup = (id: string): void => {
    const group = groupsOf(tree).find((each) => each.id === id)!;
    open.add(id);
    const [first] = group.items;
    const inside = first!.kind === "group" ? first!.id : `node ${first!.node.name}`;
    draw({ from: id, to: inside });
    select(drawn.boxes.get(inside) ?? null);
  };
  const closeGroup = (group: Group): void => {
    for (const each of [group, ...groupsOf(group.items)]) open.delete(each.id);
    draw({ from: selected ?? "", to: group.id });
    select(drawn.boxes.get(group.id) ?? null);
  };
  const toggle = ({ box }: PlacedBox): void => {
    if (box.group !== null) openGroup(box.group.id);
  };
  const use = (next: Graph): void => {
    graph = next;
    tree = moduleTree(graph.nodes);
    open = new Set(openWithin(tree, BOXES));
    draw();
    select(null);
  };
  const reveal = (name: string): void => {
    const nested = graphsIn(program).find(([, each]) => each.nodes.some((node) => node.name === name));
    if (nested !== undefined && nested[1] !== graph) {
      choice.value = nested[0];
      use(nested[1]);
    }
    for (const group of groupsAround(tree, name)) open.add(group.id);
    draw();
    select(drawn.boxes.get(`node ${name}`) ?? null);
  };

  canvas.element.addEventListener("keydown", (event) => {
    const direction = ARROWS[event.key];
    if (direction !== undefined)
      select(neighbour(drawn, selected, direction) ?? drawn.boxes.get(selected ?? "") ?? null);
    else if (event.key === "Enter" && selected !== null) toggle(drawn.boxes.get(selected)!);
    else if (event.key === "+" || event.key === "=") canvas.zoomBy(1.25);
    else if (event.key === "-") canvas.zoomBy(0.8);
    else if (event.key === "0") canvas.fit();
    else if (event.key === "Escape") select(null);
    else return;
    event.preventDefault();
  });

  const extent = el("span", { class: "note" });
  const choice = el("select", { "aria-label": "Graph" });
  const graphs = graphsIn(program);
  choice.append(...graphs.map(([name]) => el("option", { value: name }, name)));
  choice.addEventListener("change", () => use(graphs.find(([name]) => name === choice.value)![1]));
  const button = (label: string, name: string, act: () => void): HTMLElement =>
    el(
      "button",
      { type: "button", class: "quiet square", "aria-label": label, title: label, onclick: act },
      icon(name),
    );
  const all = (isOpen: boolean): void => {
    open = new Set(isOpen ? groupsOf(tree).map(({ id }) => id) : []);
    draw();
    select(null);
  };
  const element = el(
    "div",
    { class: "graph" },
    el(
      "div",
      { class: "toolbar" },
      searchField(() => graph, reveal),
      graphs.length > 1 ? choice : null,
      button("Open all modules", "open-all", () => all(true)),
      button("Close all modules", "close-all", () => all(false)),
      button("Zoom in", "plus", () => canvas.zoomBy(1.25)),
      button("Zoom out", "minus", () => canvas.zoomBy(0.8)),
      button("Show the whole graph", "fit", () => canvas.fit()),
      extent,
    ),
    el("div", { class: "graph-body" }, canvas.element, inspector),
    el(
      "p",
      { class: "note" },
      "Drag or scroll to move, pinch or Ctrl and scroll to zoom, double-click a module to open it.",
    ),
  );
  use(program.graph);
  return { element, reveal };
}

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
