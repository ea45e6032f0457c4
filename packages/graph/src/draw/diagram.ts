import type { Graph, InputSpec, Node, Program, ValueType } from "../ir.ts";
import { splitOpName } from "../op-name.ts";
import { definitionsOf, graphsOf, usesOf, valuesOf } from "../query/args.ts";
import { describeNode } from "../query/describe.ts";
import { printType } from "../text/print-type.ts";
import { type Family, familyOf } from "./family.ts";

/** A box of a drawing. */
export interface Box {
  /** Unique in the whole drawing; letters, digits and `_` only. */
  readonly id: string;
  /** Operator, or the name of an input. */
  readonly title: string;
  /** Type of the first result. */
  readonly detail: string;
  readonly family: Family;
  /** Everything that is known, for a tooltip. */
  readonly hint: string;
  /** Graphs nested in this node. */
  readonly nested: readonly Diagram[];
}

/** What flows from one box to another. */
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

/** What a drawing shows. */
export interface DrawOptions {
  /** Draw parameters, buffers and constants as boxes of their own. @default false */
  readonly weights?: boolean;
}

/** The boxes and arrows of a program or graph. */
export function diagramOf(subject: Program | Graph, options: DrawOptions = {}): Diagram {
  if ("nodes" in subject) return drawGraph("graph", subject, "", new Set());
  const hidden = subject.inputs.filter((spec) => !options.weights && isWeight(spec)).map(valueName);
  return drawGraph("program", subject.graph, "", new Set(hidden));
}

function isWeight({ kind }: InputSpec): boolean {
  return kind !== "user_input" && kind !== "constant_input" && kind !== "token";
}

function valueName(spec: InputSpec): string | null {
  return spec.kind === "constant_input" ? null : spec.value;
}

function drawGraph(name: string, graph: Graph, prefix: string, hidden: ReadonlySet<string | null>): Diagram {
  const boxes: Box[] = [];
  const arrows: Arrow[] = [];
  /** Box that defines each value. */
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
    source.set(input, box(`in${i}`, { title: input, detail, family: "input", hint: input, nested: [] }));
  });
  graph.nodes.forEach((node, i) => {
    const id = box(`n${i}`, {
      title: titleOf(node),
      detail: detailOf(graph.values.get(definitionsOf(node)[0] ?? "")),
      family: familyOf(node.op),
      hint: hintOf(node),
      nested: graphsOf(node).map((nested, g) =>
        drawGraph(`${node.name}.${nested.name}`, nested.graph, `${prefix}n${i}_g${g}_`, new Set()),
      ),
    });
    connect(usesOf(node), id);
    for (const defined of definitionsOf(node)) source.set(defined, id);
  });
  if (graph.outputs.length > 0) {
    const id = box("out", { title: "output", detail: "", family: "output", hint: "", nested: [] });
    connect(graph.outputs.flatMap(valuesOf), id);
  }
  return { name, boxes, arrows };
}

/** `conv2d`, `mylib::f`. */
function titleOf({ op }: Node): string {
  const { namespace, op: name } = splitOpName(op);
  return namespace === "aten" || namespace === "_operator" || namespace === "higher_order"
    ? name
    : `${namespace}::${name}`;
}

/** Dtype and shape, without strides. */
function detailOf(type: ValueType | undefined): string {
  return type === undefined ? "" : printType(type).replace(/\{.*$/, "");
}

function hintOf(node: Node): string {
  return [describeNode(node), node.origin.code ?? ""].filter((line) => line !== "").join("\n");
}
