import { captionColors } from "./colors.ts";
import type { Size } from "./pixels.ts";
import type { Rectangle } from "./rectangle.ts";

/** Words on a ground of their own. */
export interface Caption extends Rectangle {
  readonly words: string;
  readonly ground: string;
  readonly ink: string;
  /** Where the words begin: their left end, and their base line. */
  readonly textX: number;
  readonly textY: number;
}

/** Returns the width of words in letters of a size. */
export type Measure = (words: string, fontSize: number) => number;

/**
 * A caption above its box. At the top of the picture it slides over the box, unless that would hide a third of it: then it is
 * below, or inside where there is no space below either.
 */
export function placed(
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
