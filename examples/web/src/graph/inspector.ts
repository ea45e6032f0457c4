import { countText, plural, timeText } from "@pt2/cli";
import { type Arg, definitionsOf, type Graph, type Node } from "@pt2/graph";
import { type Child, el, fill } from "../page/dom.ts";
import type { GraphBox } from "./boxes.ts";
import { type NodeTimes, timeOf } from "./times.ts";
import { typeText } from "./titles.ts";

/** The actions that the inspector offers. */
export interface InspectorActions {
  /** Shows what a group holds. */
  readonly onOpen: (id: string) => void;
  /** Closes the group around it again. */
  readonly onClose: (() => void) | null;
}

const EMPTY = "Choose a box to see its op, its arguments and the line of Python that it comes from.";

/** What the boxes stand for, and how long it took. */
export interface Known {
  readonly graph: Graph;
  readonly times: NodeTimes;
}

/** A box in a sentence, to be read out. */
export function describe({ title, detail, nodes }: GraphBox): string {
  const { modulePath = "", line = "" } = nodes.length === 1 ? nodes[0]!.origin : {};
  return [title, detail, modulePath, line].filter((part) => part !== "").join(", ");
}

/** Shows everything that is known of a box. */
export function inspect(place: HTMLElement, known: Known, box: GraphBox | null, actions: InspectorActions): void {
  const time = box === null ? "" : timeIn(box, known.times);
  if (box === null) fill(place, el("p", { class: "note" }, EMPTY));
  else if (box.group !== null) fill(place, ...groupContent(box, time, actions));
  else if (box.nodes.length === 1) fill(place, ...nodeContent(known.graph, box.nodes[0]!, time, actions));
  else fill(place, el("h3", {}, box.title), el("p", {}, el("code", {}, box.detail)));
}

/** Empty where nothing was measured. */
function timeIn(box: GraphBox, times: NodeTimes): string {
  const ms = timeOf(box, times);
  if (ms > 0) return timeText(ms);
  return box.nodes.some(({ name }) => times.has(name)) ? "less than this page's clock can tell" : "";
}

function groupContent({ group, nodes }: GraphBox, time: string, { onOpen }: InspectorActions): readonly Child[] {
  const { id, path, className } = group!;
  const lines = new Set(nodes.map(({ origin }) => origin.line).filter((line) => line !== undefined));
  return [
    el("h3", {}, path),
    facts([
      ["Class", className],
      ["Nodes", countText(nodes.length)],
      ["Time", time],
      ["Python", [...lines].slice(0, 3).join("\n")],
    ]),
    el("button", { type: "button", onclick: () => onOpen(id) }, "Show what it holds"),
  ];
}

function nodeContent(graph: Graph, node: Node, time: string, { onClose }: InspectorActions): readonly Child[] {
  const { op, name, args, origin } = node;
  const results = definitionsOf(node).map((value) => `${value}: ${typeText(graph.values.get(value))}`);
  return [
    el("h3", {}, op),
    facts([
      ["Node", name],
      ["Time", time],
      ["Results", results.join("\n")],
      ["Arguments", args.map((arg) => `${arg.name === "" ? "" : `${arg.name} = `}${argText(arg.arg)}`).join("\n")],
      ["Module", origin.modulePath ?? ""],
      ["Class", origin.moduleClass ?? ""],
      ["Python", origin.line ?? ""],
    ]),
    origin.code === undefined ? null : el("pre", { class: "source", tabindex: 0 }, origin.code.trim()),
    onClose === null ? null : el("button", { type: "button", class: "quiet", onclick: onClose }, "Close this module"),
  ];
}

function facts(rows: readonly (readonly [name: string, text: string])[]): HTMLElement {
  const known = rows.filter(([, text]) => text !== "");
  return el("dl", { class: "facts" }, ...known.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
}

/** Formats an argument; long lists and nested graphs by their size. */
function argText(arg: Arg): string {
  switch (arg.kind) {
    case "none":
      return "None";
    case "value":
      return `%${arg.name}`;
    case "list":
      return arg.items.length > 12 ? `[${arg.items.length} items]` : `[${arg.items.map(argText).join(", ")}]`;
    case "dict":
      return `{${arg.entries.map(([key, entry]) => `${key}: ${argText(entry)}`).join(", ")}}`;
    case "graph":
      return `graph ${arg.name} (${plural(arg.graph.nodes.length, "node")})`;
    case "complex":
      return `${arg.re}+${arg.im}j`;
    case "operator":
      return arg.op;
    case "device":
      return arg.value.type;
    case "string":
      return JSON.stringify(arg.value);
    default:
      return String(arg.value);
  }
}
