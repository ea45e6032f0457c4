import type { Graph, Program } from "../ir.ts";
import { type Box, type Diagram, type DrawOptions, diagramOf } from "./diagram.ts";
import { COLOURS, LINE, TEXT } from "./family.ts";
import { type Layered, layer, type Slot } from "./layers.ts";

const HEIGHT = 34;
const LAYER_GAP = 26;
const SLOT_GAP = 16;
const BEND_WIDTH = 8;
const MARGIN = 16;
const CHARACTER = 6.6;
const TITLE = 24;

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Panel {
  readonly width: number;
  readonly height: number;
  readonly body: string;
}

/** A picture of its own, without a layout program. Nested graphs are panels below the one that uses them. */
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
  const widths = layered.layers.map((slots) => slots.reduce((sum, slot) => sum + slotWidth(slot, boxes) + SLOT_GAP, 0));
  const width = Math.max(120, ...widths) + 2 * MARGIN;
  const top = isRoot ? MARGIN : MARGIN + TITLE;
  const centres = positions(layered, boxes, width, top);
  const arrows = layered.routes.map((route) => curve(route.map((id) => centres.get(id)!)));
  const shapes = diagram.boxes.map((box) => shape(box, centres.get(box.id)!));
  const title = isRoot
    ? ""
    : `<text x="${width / 2}" y="${MARGIN + 8}" fill="${LINE}" font-weight="600">${escapeXml(diagram.name)}</text>`;
  const height = top + layered.layers.length * (HEIGHT + LAYER_GAP) - LAYER_GAP + MARGIN;
  return { width, height, body: [title, ...arrows, ...shapes].join("\n") };
}

function slotWidth({ id, isBend }: Slot, boxes: ReadonlyMap<string, Box>): number {
  if (isBend) return BEND_WIDTH;
  const { title, detail } = boxes.get(id)!;
  return boxWidth(title, detail);
}

function boxWidth(title: string, detail: string): number {
  return Math.max(title.length, detail.length) * CHARACTER + 16;
}

function positions(
  { layers }: Layered,
  boxes: ReadonlyMap<string, Box>,
  width: number,
  top: number,
): ReadonlyMap<string, Point> {
  const centres = new Map<string, Point>();
  layers.forEach((slots, i) => {
    const sizes = slots.map((slot) => slotWidth(slot, boxes));
    let x = (width - sizes.reduce((sum, size) => sum + size + SLOT_GAP, -SLOT_GAP)) / 2;
    slots.forEach((slot, s) => {
      centres.set(slot.id, { x: round(x + sizes[s]! / 2), y: top + i * (HEIGHT + LAYER_GAP) + HEIGHT / 2 });
      x += sizes[s]! + SLOT_GAP;
    });
  });
  return centres;
}

/** From the bottom of the first box to the top of the last, straight down through the bends. */
function curve(points: readonly Point[]): string {
  const last = points.length - 1;
  let path = `M${points[0]!.x} ${points[0]!.y + HEIGHT / 2}`;
  points.slice(1).forEach(({ x, y }, i) => {
    const from = points[i]!;
    const [start, end] = [from.y + HEIGHT / 2, y - HEIGHT / 2];
    const middle = (start + end) / 2;
    path += `C${from.x} ${middle} ${x} ${middle} ${x} ${end}`;
    if (i + 1 < last) path += `V${y + HEIGHT / 2}`;
  });
  return `<path d="${path}" fill="none" stroke="${LINE}" marker-end="url(#tip)"/>`;
}

function shape({ title, detail, family, hint }: Box, { x, y }: Point): string {
  const { fill, stroke } = COLOURS[family];
  const width = boxWidth(title, detail);
  const lines = [title, detail].filter((line) => line !== "");
  const text = lines.map((line, i) => {
    const baseline = y + 4 + (i - (lines.length - 1) / 2) * 13;
    const weight = i === 0 ? ' font-weight="600"' : ' opacity="0.75"';
    return `<text x="${x}" y="${baseline}" fill="${TEXT}"${weight}>${escapeXml(line)}</text>`;
  });
  const rect = `<rect x="${round(x - width / 2)}" y="${y - HEIGHT / 2}" width="${round(width)}" height="${HEIGHT}" rx="6" fill="${fill}" stroke="${stroke}"/>`;
  return `<g><title>${escapeXml(hint)}</title>${rect}${text.join("")}</g>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (char) => `&#${char.charCodeAt(0)};`);
}
