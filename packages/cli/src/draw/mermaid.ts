import type { Graph, Program } from "@pt2/graph";
import { type Diagram, type DrawOptions, diagramOf } from "./diagram.ts";
import { COLORS, TEXT } from "./family.ts";

/** Draws a Mermaid flowchart, for Markdown. */
export function toMermaid(subject: Program | Graph, options: DrawOptions = {}): string {
  const diagram = diagramOf(subject, options);
  const styles = Object.entries(COLORS).map(
    ([family, { fill, stroke }]) => `  classDef ${family} fill:${fill},stroke:${stroke},color:${TEXT};`,
  );
  return `${["flowchart TD", ...body(diagram, "  "), ...styles].join("\n")}\n`;
}

function body({ boxes, arrows }: Diagram, indent: string): readonly string[] {
  return [
    ...boxes.flatMap(({ id, title, detail, note, family, nodes, nested }) => [
      `${indent}${id}${nodes > 1 ? "[[" : "["}"${[title, detail, note]
        .filter((line) => line !== "")
        .map(escapeLabel)
        .join("<br/>")}"${nodes > 1 ? "]]" : "]"}:::${family}`,
      ...nested.flatMap((inner, i) => [
        `${indent}subgraph ${id}_s${i}["${escapeLabel(inner.name)}"]`,
        ...body(inner, `${indent}  `),
        `${indent}end`,
      ]),
      ...nested.map((_, i) => `${indent}${id} -.- ${id}_s${i}`),
    ]),
    ...arrows.map(({ from, to }) => `${indent}${from} --> ${to}`),
  ];
}

/** Escapes text for Mermaid: special characters become character codes. */
function escapeLabel(text: string): string {
  return text.replace(/[^\w\s.,:()*+/=-]/gu, (char) => `#${char.codePointAt(0)};`);
}
