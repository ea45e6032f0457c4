import { requireOptions } from "@pt2/format/options";
import {
  definitionsOf,
  describeNode,
  type Graph,
  graphsOf,
  type InputSpec,
  type Node,
  type Program,
  printType,
  requireSubject,
  splitOpName,
  usesOf,
  type ValueType,
  valuesOf,
} from "@pt2/graph";
import { attributesOf } from "./attributes.ts";
import { type Family, familyOf } from "./family.ts";
import { type Fold, foldModules } from "./fold.ts";

/** A box of a drawing. */
export interface Box {
  /** Unique in the drawing; letters, digits and `_` only. */
  readonly id: string;
  /** The operator, or the name of an input. */
  readonly title: string;
  /** The type of the first result. */
  readonly detail: string;
  /** The node's literal arguments, or the class and size of a folded module; often empty. */
  readonly note: string;
  /** The number of nodes in the box: more than one where a module is folded. */
  readonly nodes: number;
  readonly family: Family;
  /** The full description, for a tooltip. */
  readonly hint: string;
  /** Graphs nested in this node. */
  readonly nested: readonly Diagram[];
}

/** A data dependency between two boxes. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** One graph as boxes and arrows. */
export interface Diagram {
  readonly name: string;
  readonly boxes: readonly Box[];
  readonly arrows: readonly Arrow[];
}

/** Options of a drawing. */
export interface DrawOptions {
  /** Draw parameters, buffers and constants as boxes of their own. @default false */
  readonly weights?: boolean;
  /**
   * Draws each module of this depth as one box: at 2 `layers.0` with its contents. @default every node has its own box
   */
  readonly depth?: number;
}

/** Creates the boxes and arrows of a program or graph. */
export function diagramOf(subject: Program | Graph, options: DrawOptions = {}): Diagram {
  requireSubject("A drawing", subject);
  requireOptions("A drawing", options, { weights: "boolean", depth: "number" }, "cli.options");
  const { depth = Number.POSITIVE_INFINITY } = options;
  if ("nodes" in subject) return drawGraph("graph", subject, "", new Set(), depth);
  const hidden = subject.inputs.filter((spec) => !options.weights && isWeight(spec)).map(valueName);
  return drawGraph("program", subject.graph, "", new Set(hidden), depth);
}

function isWeight({ kind }: InputSpec): boolean {
  return kind !== "user_input" && kind !== "constant_input" && kind !== "token";
}

function valueName(spec: InputSpec): string | null {
  return spec.kind === "constant_input" ? null : spec.value;
}

function drawGraph(
  name: string,
  graph: Graph,
  prefix: string,
  hidden: ReadonlySet<string | null>,
  depth: number,
): Diagram {
  const boxes: Box[] = [];
  const arrows: Arrow[] = [];
  /** Maps each value to the box that defines it. */
  const source = new Map<string, string>();
  const box = (id: string, rest: Omit<Box, "id">): string => {
    boxes.push({ id: `${prefix}${id}`, ...rest });
    return `${prefix}${id}`;
  };
  const connect = (names: readonly string[], to: string): void => {
    for (const from of new Set(names.map((used) => source.get(used))))
      if (from !== undefined) arrows.push({ from, to });
  };
  graph.inputs.forEach((input, i) => {
    if (input === null || hidden.has(input)) return;
    const detail = detailOf(graph.values.get(input));
    const rest = { note: "", nodes: 0, hint: input, nested: [] };
    source.set(input, box(`in${i}`, { title: input, detail, family: "input", ...rest }));
  });
  let at = 0;
  for (const fold of foldModules(graph.nodes, depth)) {
    const [node] = fold.nodes as readonly [Node];
    const i = at;
    at += fold.nodes.length;
    const nested = (): readonly Diagram[] =>
      graphsOf(node).map((inner, g) =>
        drawGraph(`${node.name}.${inner.name}`, inner.graph, `${prefix}n${i}_g${g}_`, new Set(), depth),
      );
    const one = fold.nodes.length === 1;
    const id = box(`n${i}`, one ? { ...boxOf(node, graph), nested: nested() } : boxOfFold(fold, graph));
    const inside = new Set(fold.nodes.flatMap(definitionsOf));
    connect(
      fold.nodes.flatMap(usesOf).filter((used) => !inside.has(used)),
      id,
    );
    for (const defined of inside) source.set(defined, id);
  }
  if (graph.outputs.length > 0) {
    const id = box("out", { title: "output", detail: "", note: "", nodes: 0, family: "output", hint: "", nested: [] });
    connect(graph.outputs.flatMap(valuesOf), id);
  }
  return { name, boxes, arrows };
}

function boxOf(node: Node, graph: Graph): Omit<Box, "id" | "nested"> {
  return {
    title: titleOf(node),
    detail: detailOf(graph.values.get(definitionsOf(node)[0] ?? "")),
    note: attributesOf(node),
    nodes: 1,
    family: familyOf(node.op),
    hint: hintOf(node),
  };
}

function boxOfFold({ module, className, nodes }: Fold, graph: Graph): Omit<Box, "id"> {
  const last = nodes.findLast((node) => definitionsOf(node).length > 0);
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(titleOf(node), (counts.get(titleOf(node)) ?? 0) + 1);
  const name = className?.slice(className.lastIndexOf(".") + 1);
  return {
    title: module === "" ? "the whole model" : module,
    detail: detailOf(graph.values.get(definitionsOf(last ?? nodes[0]!)[0] ?? "")),
    note: [name ?? [], `${nodes.length} nodes`].flat().join(", "),
    nodes: nodes.length,
    family: "other",
    hint: [...counts].map(([title, count]) => (count === 1 ? title : `${count} × ${title}`)).join("\n"),
    nested: [],
  };
}

/** Returns `conv2d`, or `mylib::f` for ops of other namespaces. */
function titleOf({ op }: Node): string {
  const { namespace, op: name } = splitOpName(op);
  return namespace === "aten" || namespace === "_operator" || namespace === "higher_order"
    ? name
    : `${namespace}::${name}`;
}

/** Returns dtype and shape, without strides. */
function detailOf(type: ValueType | undefined): string {
  return type === undefined ? "" : printType(type).replace(/\{.*$/, "");
}

function hintOf(node: Node): string {
  return [describeNode(node), node.origin.code ?? ""].filter((line) => line !== "").join("\n");
}
