import { captionOf, colorOf } from "./colors.ts";
import type { Found } from "./found.ts";
import type { Mask } from "./mask.ts";

/** How things are drawn. */
export interface AnnotateOptions {
  /** How many pixels of the canvas a pixel of the picture is. @default 1 */
  readonly scale?: number;
  /** Returns the color of a thing, as CSS has it. @default by the number of its class */
  readonly color?: (found: Found) => string;
  /** Returns the words above a box; an empty string for none. @default its label and score */
  readonly caption?: (found: Found) => string;
}

/** What is drawn on: the context of a canvas, in a page or in Node. */
export type AnnotateContext = Pick<
  CanvasRenderingContext2D,
  | "arc"
  | "beginPath"
  | "fill"
  | "fillRect"
  | "fillStyle"
  | "fillText"
  | "font"
  | "globalAlpha"
  | "lineWidth"
  | "measureText"
  | "restore"
  | "save"
  | "strokeRect"
  | "strokeStyle"
  | "textBaseline"
>;

/**
 * Draws what was found over a picture: masks, boxes with their labels, keypoints; the surest on top. The canvas has the
 * picture already, or lies over it.
 */
export function annotate(
  context: AnnotateContext,
  found: readonly Found[],
  { scale = 1, color = ({ index }) => colorOf(index), caption = captionOf }: AnnotateOptions = {},
): void {
  context.save();
  for (const each of found.toReversed()) {
    const [x1, y1, x2, y2] = each.box.map((side) => side * scale) as [number, number, number, number];
    const line = Math.max(2, Math.min(x2 - x1, y2 - y1) / 80);
    const size = Math.max(12, 6 * line);
    context.fillStyle = color(each);
    context.strokeStyle = color(each);
    if (each.mask !== undefined) fillMask(context, each.mask, scale);
    context.lineWidth = line;
    context.strokeRect(x1, y1, x2 - x1, y2 - y1);
    for (const point of each.keypoints ?? []) {
      context.beginPath();
      context.arc(point.x * scale, point.y * scale, line * 1.5, 0, 2 * Math.PI);
      context.fill();
    }
    const words = caption(each);
    if (words === "") continue;
    context.font = `${size}px system-ui, sans-serif`;
    context.textBaseline = "top";
    const width = context.measureText(words).width + size / 2;
    // Above the box, or inside where there is no space above.
    const top = y1 >= size * 1.4 ? y1 - size * 1.4 : y1;
    context.fillRect(x1 - line / 2, top, width, size * 1.4);
    context.fillStyle = "#101418";
    context.fillText(words, x1 + size / 4 - line / 2, top + size * 0.2);
  }
  context.restore();
}

/** Fills runs of covered pixels, row by row. */
function fillMask(context: AnnotateContext, { x, y, width, height, data }: Mask, scale: number): void {
  context.globalAlpha = 0.4;
  for (let row = 0; row < height; row++) {
    for (let start = 0; start < width; start++) {
      if (data[row * width + start] === 0) continue;
      let end = start;
      while (end < width && data[row * width + end] === 1) end++;
      context.fillRect((x + start) * scale, (y + row) * scale, (end - start) * scale, scale);
      start = end;
    }
  }
  context.globalAlpha = 1;
}
