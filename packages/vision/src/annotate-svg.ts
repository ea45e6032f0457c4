import type { AnnotateOptions } from "./annotate.ts";
import { captionOf, colorOf } from "./colors.ts";
import type { Found } from "./found.ts";
import type { Mask } from "./mask.ts";
import type { Size } from "./pixels.ts";

/**
 * Returns what was found as a transparent SVG of the picture's size, to lay over it: `sharp(picture).composite([{ input:
 * Buffer.from(svg) }])`.
 */
export function annotateSvg(
  found: readonly Found[],
  { width, height }: Size,
  { scale = 1, color = ({ index }) => colorOf(index), caption = captionOf }: AnnotateOptions = {},
): string {
  const [w, h] = [width * scale, height * scale];
  const things = found.toReversed().map((each) => thing(each, scale, escaped(color(each)), caption(each)));
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${w}" height="${h}" viewBox="0 0 ${w} ${h}">\n${things.join("\n")}\n</svg>\n`;
}

function thing({ box, mask, keypoints = [] }: Found, scale: number, color: string, words: string): string {
  const [x1, y1, x2, y2] = box.map((side) => side * scale) as [number, number, number, number];
  const line = Math.max(2, Math.min(x2 - x1, y2 - y1) / 80);
  const size = Math.max(12, 6 * line);
  const top = y1 >= size * 1.4 ? y1 - size * 1.4 : y1;
  // No font is measured here; letters of sans-serif fonts are about this wide.
  const wide = words.length * size * 0.56 + size / 2;
  const points = keypoints.map(
    ({ x, y }) =>
      `<circle cx="${round(x * scale)}" cy="${round(y * scale)}" r="${round(line * 1.5)}" fill="${color}"/>`,
  );
  const label =
    words === ""
      ? ""
      : `<rect x="${round(x1 - line / 2)}" y="${round(top)}" width="${round(wide)}" height="${round(size * 1.4)}" fill="${color}"/>` +
        `<text x="${round(x1 + size / 4 - line / 2)}" y="${round(top + size * 1.05)}" font-family="sans-serif" font-size="${round(size)}" fill="#101418">${escaped(words)}</text>`;
  return (
    (mask === undefined ? "" : `<path d="${maskPath(mask, scale)}" fill="${color}" fill-opacity="0.4"/>`) +
    `<rect x="${round(x1)}" y="${round(y1)}" width="${round(x2 - x1)}" height="${round(y2 - y1)}" fill="none" stroke="${color}" stroke-width="${round(line)}"/>` +
    points.join("") +
    label
  );
}

/** A rectangle for each run of covered pixels. */
function maskPath({ x, y, width, height, data }: Mask, scale: number): string {
  const parts: string[] = [];
  for (let row = 0; row < height; row++) {
    for (let start = 0; start < width; start++) {
      if (data[row * width + start] === 0) continue;
      let end = start;
      while (end < width && data[row * width + end] === 1) end++;
      const [left, top, run] = [(x + start) * scale, (y + row) * scale, (end - start) * scale];
      parts.push(`M${round(left)} ${round(top)}h${round(run)}v${round(scale)}h${round(-run)}z`);
      start = end;
    }
  }
  return parts.join("");
}

function round(x: number): number {
  return Math.round(x * 10) / 10;
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (character) => ENTITIES[character]!);
}
