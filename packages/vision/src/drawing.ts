import { captionColors, captionOf, colorOf } from "./colors.ts";
import type { Found } from "./found.ts";
import type { Mask } from "./mask.ts";
import type { Size } from "./pixels.ts";

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

/** A rectangle of a drawing. */
export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Words on a ground of their own. */
export interface Caption extends Rectangle {
  readonly words: string;
  readonly ground: string;
  readonly ink: string;
  /** Where the words begin: their left end, and their base line. */
  readonly textX: number;
  readonly textY: number;
}

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

/** Returns the width of words in letters of a size. */
export type Measure = (words: string, fontSize: number) => number;

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

/**
 * A caption above its box. At the top of the picture it slides over the box, unless that would hide a third of it: then it is
 * below, or inside where there is no space below either.
 */
function placed(
  words: string,
  color: string,
  box: Rectangle,
  area: Size,
  {
    lineWidth,
    fontSize,
    measure,
  }: { readonly lineWidth: number; readonly fontSize: number; readonly measure: Measure },
): Caption {
  const [margin, half, height] = [fontSize * 0.3, lineWidth / 2, fontSize * 1.4];
  const text = shortened(words, (part) => measure(part, fontSize) + 2 * margin <= area.width);
  const width = measure(text, fontSize) + 2 * margin;
  const [above, below] = [box.y - half - height, box.y + box.height + half];
  const hides = height + half - box.y > box.height / 3;
  const y = hides && above < 0 ? (below + height <= area.height ? below : box.y) : above;
  const inArea = (at: number, length: number, most: number): number => Math.max(0, Math.min(at, most - length));
  const at = { x: inArea(box.x - half, width, area.width), y: inArea(y, height, area.height) };
  return {
    ...at,
    width,
    height,
    words: text,
    ...captionColors(color),
    textX: at.x + margin,
    textY: at.y + fontSize * 1.06,
  };
}

/** The words, or as many letters of them as fit. */
function shortened(words: string, fits: (part: string) => boolean): string {
  if (fits(words)) return words;
  const letters = [...words];
  while (letters.length > 1 && !fits(`${letters.join("")}…`)) letters.pop();
  return `${letters.join("")}…`;
}

/** Rectangles that have every covered pixel once: runs of a row, which go on below while the rows are equal there. */
function coveredBy({ x, y, width, height, data }: Mask, scale: number): readonly Rectangle[] {
  const done: Rectangle[] = [];
  let open = new Map<string, { start: number; end: number; top: number }>();
  const close = ({ start, end, top }: { start: number; end: number; top: number }, bottom: number): void => {
    done.push({
      ...{ x: (x + start) * scale, y: (y + top) * scale },
      ...{ width: (end - start) * scale, height: (bottom - top) * scale },
    });
  };
  for (let row = 0; row < height; row++) {
    const next: typeof open = new Map();
    for (let start = 0; start < width; start++) {
      if (data[row * width + start] !== 1) continue;
      let end = start;
      while (end < width && data[row * width + end] === 1) end++;
      const key = `${start} ${end}`;
      next.set(key, open.get(key) ?? { start, end, top: row });
      open.delete(key);
      start = end;
    }
    for (const run of open.values()) close(run, row);
    open = next;
  }
  for (const run of open.values()) close(run, height);
  return done;
}
