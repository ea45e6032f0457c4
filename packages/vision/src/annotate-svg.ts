import { requireOptions } from "@pt2/format/options";
import { SEAM } from "./annotate.ts";
import type { Caption } from "./caption.ts";
import { ANNOTATE_OPTIONS, type AnnotateOptions, type DrawnThing, draw } from "./drawing.ts";
import type { Found } from "./found.ts";
import type { Size } from "./pixels.ts";
import type { Rectangle } from "./rectangle.ts";
import { requireFound, requireSize } from "./requirements.ts";
import { SVG_FONTS, textWidth } from "./text-width.ts";

/**
 * Returns what was found as a transparent SVG of the picture's size, to lay over it: `sharp(picture).composite([{ input:
 * Buffer.from(svg) }])`. It looks like what `annotate` draws.
 */
export function annotateSvg(found: readonly Found[], picture: Size, options: AnnotateOptions = {}): string {
  requireSize(picture);
  requireFound("annotateSvg()", found);
  requireOptions("annotateSvg()", options, ANNOTATE_OPTIONS, "vision.options");
  const { scale = 1 } = options;
  const [w, h] = [round(picture.width * scale), round(picture.height * scale)];
  const drawing = draw(found, picture, options, (words, size) => textWidth(words) * size);
  const { lineWidth, fontSize, things } = drawing;
  const lines = [
    ...things.filter(({ mask }) => mask.length > 0).map(maskOf),
    ...things.map((thing) => boxOf(thing, lineWidth)),
    ...things.map(({ caption }) => (caption === null ? "" : captionOf(caption, fontSize))),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">\n${lines.join("\n")}\n</svg>\n`;
}

function maskOf({ mask, color }: DrawnThing): string {
  const path = mask.map(({ x, y, width, height }) => {
    const [wide, high] = [round(x + width) - round(x), round(y + height) - round(y)];
    return `M${round(x)} ${round(y)}h${round(wide)}v${round(high)}h${round(-wide)}z`;
  });
  return `<path d="${path.join("")}" fill="${escaped(color)}" fill-opacity="0.4"/>`;
}

function boxOf({ box, points, color }: DrawnThing, lineWidth: number): string {
  const line = (style: string, width: number): string =>
    `<rect ${placeOf(box)} fill="none" stroke="${style}" stroke-width="${round(width)}"/>`;
  const dots = points.map(
    ({ x, y }) =>
      `<circle cx="${round(x)}" cy="${round(y)}" r="${round(lineWidth * 2)}" fill="${escaped(color)}" stroke="${SEAM.color}"/>`,
  );
  return line(SEAM.color, lineWidth + SEAM.width) + line(escaped(color), lineWidth) + dots.join("");
}

function captionOf(caption: Caption, fontSize: number): string {
  return (
    `<rect ${placeOf(caption)} fill="${escaped(caption.ground)}"/>` +
    `<text x="${round(caption.textX)}" y="${round(caption.textY)}" font-family="${SVG_FONTS}" font-size="${round(fontSize)}" ` +
    `fill="${caption.ink}">${escaped(caption.words)}</text>`
  );
}

function placeOf({ x, y, width, height }: Rectangle): string {
  return `x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}"`;
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text as XML has it, which has no control characters, nor halves of surrogate pairs. */
function escaped(text: string): string {
  return text
    .replace(/[^\t\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
