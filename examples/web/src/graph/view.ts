import { plural } from "@pt2/cli";
import type { Program } from "@pt2/graph";
import type { StepTime } from "@pt2/runtime";
import { el, fill } from "../page/dom.ts";
import { iconButton, toolbar } from "../page/toolbar.ts";
import { type Anchor, graphCanvas, widthOf } from "./canvas.ts";
import { describe, inspect } from "./inspector.ts";
import type { PlacedBox } from "./layout.ts";
import { legendOf } from "./legend.ts";
import { type Direction, neighbor } from "./neighbors.ts";
import { graphsIn } from "./nested.ts";
import { searchField } from "./search-field.ts";
import { GraphState, isAboutSizes } from "./state.ts";
import { type NodeTimes, timesByNode } from "./times.ts";

/** How much a key or a button enlarges. */
const ZOOM = 1.25;

/** A drawing of a program that can be moved, enlarged, searched and walked through. */
export interface GraphView {
  readonly element: HTMLElement;
  /** Shows a node, opening the modules around it. */
  reveal(node: string): void;
  /** Shows where the time of a run went. */
  showTimes(steps: readonly StepTime[]): void;
  dispose(): void;
}

/** Makes the view of a program. */
export function graphView(program: Program): GraphView {
  const state = new GraphState(program, widthOf);
  const graphs = graphsIn(program);
  let selected: string | null = null;
  let times: NodeTimes = new Map();

  const canvas = graphCanvas({ onSelect: (box) => select(box), onOpen: (box) => toggle(box) });
  const inspector = el("div", { class: "inspector" });
  const spoken = el("p", { class: "unseen", "aria-live": "polite" });
  const extent = el("span", { class: "note" });
  const legend = el("ul", { class: "legend note", "aria-label": "Colors" });
  const choice = el(
    "select",
    { "aria-label": "Graph" },
    ...graphs.map(([name]) => el("option", { value: name }, name)),
  );
  const sizes = el("input", { type: "checkbox" });

  const select = (box: PlacedBox | null | undefined): void => {
    selected = box?.box.id ?? null;
    canvas.select(selected);
    spoken.textContent = box ? describe(box.box) : "";
    const around = box ? state.groupAround(box.box) : undefined;
    inspect(inspector, { graph: state.graph, times }, box?.box ?? null, {
      onOpen: (id) => open(id),
      onClose: around === undefined ? null : () => change(() => state.close(around), around.id),
    });
  };
  /** Draws what the state has become; the box that is selected then takes the place of the one before. */
  const change = (act: () => void, next: string | null = null): void => {
    act();
    refresh(next === null || selected === null ? undefined : { from: selected, to: next });
    select(state.drawn.boxes.get(next ?? ""));
  };
  const refresh = (anchor?: Anchor): void => {
    canvas.show(state.drawn, anchor);
    const size = `${plural(state.graph.nodes.length, "node")} in ${plural(state.drawn.boxes.size, "box", "boxes")}`;
    canvas.element.setAttribute("aria-label", `Graph of ${size}. Arrow keys follow it, Enter opens a module.`);
    extent.textContent = size;
    fill(legend, ...legendOf(state.drawn));
    sizes.checked = state.withSizes;
    choice.value = graphs.find(([, graph]) => graph === state.graph)![0];
  };
  const open = (id: string): void => {
    const first = state.open(id);
    refresh({ from: id, to: first });
    select(state.drawn.boxes.get(first));
  };
  const toggle = ({ box }: PlacedBox): void => {
    if (box.group !== null) open(box.group.id);
  };
  const reveal = (node: string): void => {
    const id = state.reveal(node);
    refresh();
    select(state.drawn.boxes.get(id));
  };

  const keys: Readonly<Record<string, () => void>> = {
    "+": () => canvas.zoomBy(ZOOM),
    "=": () => canvas.zoomBy(ZOOM),
    "-": () => canvas.zoomBy(1 / ZOOM),
    "0": () => canvas.fit(),
    Enter: () => selected !== null && toggle(state.drawn.boxes.get(selected)!),
    Escape: () => select(null),
  };
  canvas.element.addEventListener("keydown", (event) => {
    const direction = ARROWS[event.key];
    if (direction !== undefined) {
      select(neighbor(state.drawn, selected, direction) ?? state.drawn.boxes.get(selected ?? ""));
    } else if (keys[event.key] !== undefined) keys[event.key]!();
    else return;
    event.preventDefault();
  });
  choice.addEventListener("change", () => change(() => state.use(graphs.find(([name]) => name === choice.value)![1])));
  sizes.addEventListener("change", () =>
    change(() => {
      state.withSizes = sizes.checked;
    }),
  );

  const hasSizes = graphs.some(([, graph]) => graph.nodes.some((node) => isAboutSizes(graph, node)));
  const controls = toolbar([
    searchField(() => state.graph, reveal),
    graphs.length > 1 ? choice : null,
    hasSizes ? el("label", { class: "check" }, sizes, "Sizes and checks") : null,
    iconButton("Open all modules", "open-all", () => change(() => state.openAll())),
    iconButton("Close all modules", "close-all", () => change(() => state.closeAll())),
    iconButton("Zoom in", "plus", () => canvas.zoomBy(ZOOM)),
    iconButton("Zoom out", "minus", () => canvas.zoomBy(1 / ZOOM)),
    iconButton("Show the whole graph", "fit", () => canvas.fit()),
    extent,
  ]);
  const stage = el("div", { class: "graph-stage" }, canvas.element, canvas.overview);
  const body = el("div", { class: "graph-body" }, stage, inspector);
  const hint = el("p", { class: "note" }, HINT, el("span", { class: "for-keys" }, KEYS));
  change(() => {});
  return {
    element: el("div", { class: "graph" }, controls, body, spoken, legend, hint),
    reveal,
    showTimes(steps) {
      times = timesByNode(steps);
      canvas.showTimes(times);
      select(state.drawn.boxes.get(selected ?? ""));
    },
    dispose: () => canvas.dispose(),
  };
}

const HINT = "Drag or scroll to move, pinch or Ctrl and scroll to zoom, double-click a module to open it. ";
const KEYS = "Keys: arrows follow the graph, Enter opens a module, + and \u2212 zoom, 0 shows everything.";

const ARROWS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
