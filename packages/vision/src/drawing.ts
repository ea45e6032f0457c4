import type { OptionTypes } from "@pt2/format/options";
import { type Caption, type Measure, placed } from "./caption.ts";
import { captionOf, colorOf } from "./colors.ts";
import type { Found } from "./found.ts";
import { coveredBy } from "./mask-rectangles.ts";
import type { Size } from "./pixels.ts";
import type { Rectangle } from "./rectangle.ts";

/** How things are drawn. Lengths are in pixels of what is drawn on. */
export interface AnnotateOptions {
  /** How many pixels of the drawing a pixel of the picture is. @default 1 */
  readonly scale?: number;
  /** Returns the color of a thing, as CSS has it. @default by the number of its class */
  readonly color?: (found: Found) => string;
  /** Returns the words above a box; an empty string for none. @default its label and score */
  readonly caption?: (found: Found) => string;
  /** The width of lines. @default a 300th of the drawing's sides, at least 2 */
  readonly lineWidth?: number;
  /** The size of letters. @default a 35th of the drawing's sides, at least 12 */
  readonly fontSize?: number;
}

/** The types of {@link AnnotateOptions}. */
export const ANNOTATE_OPTIONS: OptionTypes = {
  scale: "number",
  color: "function",
  caption: "function",
  lineWidth: "number",
  fontSize: "number",
};

/** One thing as it is drawn. */
export interface DrawnThing {
  readonly color: string;
  readonly box: Rectangle;
  /** The covered pixels; empty where the program tells none. */
  readonly mask: readonly Rectangle[];
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly caption: Caption | null;
}

/** What is drawn, the surest last, and how thick. */
export interface Drawing {
  readonly lineWidth: number;
  readonly fontSize: number;
  readonly things: readonly DrawnThing[];
}

/** Places everything inside of a picture; of what lies outside of it there is nothing to draw. */
export function draw(found: readonly Found[], picture: Size, options: AnnotateOptions, measure: Measure): Drawing {
  const { scale = 1, color = ({ index }) => colorOf(index), caption = captionOf } = options;
  const area = { width: picture.width * scale, height: picture.height * scale };
  const side = (area.width + area.height) / 2;
  const { lineWidth = Math.max(2, Math.round(side / 300)), fontSize = Math.max(12, Math.round(side / 35)) } = options;
  const things = found.toReversed().flatMap((each): readonly DrawnThing[] => {
    const box = inside(each, picture, scale);
    if (box === null) return [];
    const [ground, words] = [color(each), caption(each)];
    const points = (each.keypoints ?? [])
      .map(({ x, y }) => ({ x: x * scale, y: y * scale }))
      .filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
    const mask = each.mask === undefined ? [] : coveredBy(each.mask, scale);
    const said = words === "" ? null : placed(words, ground, box, area, { lineWidth, fontSize, measure });
    return [{ color: ground, box, mask, points, caption: said }];
  });
  return { lineWidth, fontSize, things };
}

/** The part of a box that is inside of the picture, maybe a line or a point; null where there is none. */
function inside({ box }: Found, { width, height }: Size, scale: number): Rectangle | null {
  const [x1, y1, x2, y2] = box;
  const [left, right] = [Math.max(0, x1), Math.min(width, x2)];
  const [top, bottom] = [Math.max(0, y1), Math.min(height, y2)];
  // Not so for NaN either.
  if (!(left <= right && top <= bottom)) return null;
  return { x: left * scale, y: top * scale, width: (right - left) * scale, height: (bottom - top) * scale };
}
