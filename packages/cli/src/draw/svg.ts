import type { Graph, Program } from "@pt2/graph";
import { arrange, type Metrics, type Place } from "./columns.ts";
import { type Box, type Diagram, type DrawOptions, diagramOf } from "./diagram.ts";
import { COLORS, LINE, TEXT } from "./family.ts";
import { layer } from "./layers.ts";
import { pathOf } from "./routes.ts";

const LINE_HEIGHT = 13;
const SLOT_GAP = 16;
const MARGIN = 16;
const CHARACTER = 6.6;
const TITLE = 24;

const METRICS: Metrics = {
  boxWidth: (box) => Math.max(...linesOf(box).map((line) => line.length)) * CHARACTER + 16 + 2 * frameOf(box),
  boxHeight: (box) => linesOf(box).length * LINE_HEIGHT + 8 + 2 * frameOf(box),
  bendWidth: 8,
  slotGap: SLOT_GAP,
  layerGap: 26,
  gutter: 48,
};

interface Panel {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** Draws an SVG picture without a layout program. Nested graphs are panels below the one that uses them. */
export function toSvg(subject: Program | Graph, options: DrawOptions = {}): string {
  const panels = panelsOf(diagramOf(subject, options), true);
  const width = Math.max(...panels.map((panel) => panel.width));
  let y = 0;
  const bodies = panels.map((panel) => {
    const body = `<g transform="translate(0 ${y})">${panel.body}</g>`;
    y += panel.height;
    return body;
  });
  const font = 'font-family="system-ui, sans-serif" font-size="11" text-anchor="middle"';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" width="${width}" height="${y}" ${font}>`,
    `<defs><marker id="tip" viewBox="0 0 6 6" refX="5" refY="3" markerWidth="6" markerHeight="6" orient="auto"><path d="M0 0L6 3L0 6Z" fill="${LINE}"/></marker></defs>`,
    ...bodies,
    "</svg>\n",
  ].join("\n");
}

function panelsOf(diagram: Diagram, isRoot: boolean): readonly Panel[] {
  return [panel(diagram, isRoot), ...diagram.boxes.flatMap(({ nested }) => nested.flatMap((n) => panelsOf(n, false)))];
}

function panel(diagram: Diagram, isRoot: boolean): Panel {
  const boxes = new Map(diagram.boxes.map((box) => [box.id, box]));
  const layered = layer([...boxes.keys()], diagram.arrows);
  const columns = arrange(layered, boxes, METRICS);
  const top = isRoot ? MARGIN : MARGIN + TITLE;
  const width = Math.ceil(Math.max(120, columns.width) + 2 * MARGIN);
  const left = (width - columns.width) / 2;
  const arrows = layered.routes.map(
    (route) => `<path d="${pathOf(route, columns)}" fill="none" stroke="${LINE}" marker-end="url(#tip)"/>`,
  );
  const shapes = diagram.boxes.map((box) => shape(box, columns.places.get(box.id)!));
  const title = isRoot
    ? ""
    : `<text x="${width / 2}" y="${MARGIN + 8}" fill="${LINE}" font-weight="600">${escapeXml(diagram.name)}</text>`;
  const body = `<g transform="translate(${left} ${top})">${[...arrows, ...shapes].join("\n")}</g>`;
  return { width, height: Math.ceil(top + columns.height + MARGIN), body: `${title}${body}` };
}

/** Boxes of several nodes have a second border. */
function frameOf({ nodes }: Box): number {
  return nodes > 1 ? 3 : 0;
}

function linesOf({ title, detail, note }: Box): readonly string[] {
  return [title, detail, note].filter((line) => line !== "");
}

function shape(box: Box, { x, y }: Place): string {
  const { family, hint } = box;
  const { fill, stroke } = COLORS[family];
  const lines = linesOf(box);
  const text = lines.map((line, i) => {
    const baseline = round(y + 4 + (i - (lines.length - 1) / 2) * LINE_HEIGHT);
    const weight = i === 0 ? ' font-weight="600"' : ' opacity="0.75"';
    return `<text x="${round(x)}" y="${baseline}" fill="${TEXT}"${weight}>${escapeXml(line)}</text>`;
  });
  const rect = (inset: number): string => {
    const [width, height] = [METRICS.boxWidth(box) - 2 * inset, METRICS.boxHeight(box) - 2 * inset];
    return `<rect x="${round(x - width / 2)}" y="${round(y - height / 2)}" width="${round(width)}" height="${round(height)}" rx="6" fill="${fill}" stroke="${stroke}"/>`;
  };
  const frame = frameOf(box) > 0 ? rect(0) : "";
  return `<g><title>${escapeXml(hint)}</title>${frame}${rect(frameOf(box))}${text.join("")}</g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
