import type { Graph, Program } from "@pt2/graph";
import { type Box, type Diagram, type DrawOptions, diagramOf } from "./diagram.ts";
import { COLORS, LINE, TEXT } from "./family.ts";

/** Draws a Graphviz document; nested graphs are clusters. */
export function toDot(subject: Program | Graph, options: DrawOptions = {}): string {
  const diagram = diagramOf(subject, options);
  return `${[
    `digraph ${quote(diagram.name)} {`,
    '  bgcolor="transparent"; rankdir=TB; nodesep=0.25; ranksep=0.3;',
    `  node [shape=box, style="rounded,filled", fontname="sans-serif", fontsize=11, fontcolor="${TEXT}"];`,
    `  edge [color="${LINE}", arrowsize=0.6];`,
    ...body(diagram, "  "),
    "}",
  ].join("\n")}\n`;
}

function body({ boxes, arrows }: Diagram, indent: string): readonly string[] {
  return [
    ...boxes.flatMap((box) => [
      `${indent}${node(box)}`,
      ...box.nested.flatMap((inner, i) => cluster(box, inner, i, indent)),
    ]),
    ...arrows.map(({ from, to }) => `${indent}${from} -> ${to};`),
  ];
}

function node({ id, title, detail, note, family, hint, nodes }: Box): string {
  const { fill, stroke } = COLORS[family];
  const label = quote([title, detail, note].filter((line) => line !== "").join("\n"));
  return `${id} [label=${label}, fillcolor="${fill}", color="${stroke}", tooltip=${quote(hint)}${nodes > 1 ? ", peripheries=2" : ""}];`;
}

function cluster(box: Box, inner: Diagram, index: number, indent: string): readonly string[] {
  const [first] = inner.boxes;
  const link = first === undefined ? [] : [`${indent}${box.id} -> ${first.id} [style=dashed, arrowhead=none];`];
  return [
    `${indent}subgraph cluster_${box.id}_${index} {`,
    `${indent}  label=${quote(inner.name)}; fontcolor="${LINE}"; color="${LINE}"; style="rounded,dashed";`,
    ...body(inner, `${indent}  `),
    `${indent}}`,
    ...link,
  ];
}

function quote(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n")}"`;
}
