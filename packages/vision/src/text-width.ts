/** Fonts whose letters are as wide: nearly every machine has one of the first two. */
export const SVG_FONTS = "Verdana, DejaVu Sans, sans-serif";

/** The widths of letters in em, in the wider of both fonts; of those that are not named, 0.64. */
const WIDTHS: readonly (readonly [letters: string, width: number])[] = [
  ["ijl' ,.", 0.35],
  ['fIJrt|:;!()[]/\\-"', 0.44],
  ["ckszxvyFLPT?_*", 0.61],
  ["ABEKRSVXYZ", 0.69],
  ["wCDGHMNOQU#&+<=>^~", 0.82],
  ["mW@%", 1],
];
const WIDTH_OF = new Map(WIDTHS.flatMap(([letters, width]) => [...letters].map((letter) => [letter, width])));

/** The width of a line of text in em, by a table: where an SVG is made, nothing measures. Letters beyond Europe's are squares. */
export function textWidth(text: string): number {
  let width = 0;
  for (const letter of text) width += letter > "\u052f" ? 1 : (WIDTH_OF.get(letter) ?? 0.64);
  return width;
}
