import { SIDE } from "./picture.ts";

/** Every pixel becomes a block of this many terminal pixels: big enough to read, and five digits fit side by side. */
const ZOOM = 2;
/** Characters that a drawn picture is wide. */
export const DRAWN_WIDTH: number = SIDE * ZOOM;

/**
 * Draws 8 × 8 gray pixels as lines of text, with two pixels in a character: its upper and lower half. In gray levels
 * where the terminal has colors, else in black and white.
 */
export function drawPixels(pixels: Float32Array, { color }: { readonly color: boolean }): readonly string[] {
  const at = (x: number, y: number): number => pixels[Math.floor(y / ZOOM) * SIDE + Math.floor(x / ZOOM)]!;
  const side = SIDE * ZOOM;
  return Array.from({ length: side / 2 }, (_, row) => {
    const halves = Array.from({ length: side }, (_, x) => [at(x, 2 * row), at(x, 2 * row + 1)] as const);
    return color
      ? `${halves.map(shade).join("")}\x1b[0m`
      : halves.map(([top, bottom]) => BLOCKS[ink(top) * 2 + ink(bottom)]).join("");
  });
}

const BLOCKS = [" ", "▄", "▀", "█"] as const;

function ink(gray: number): 0 | 1 {
  return gray >= 0.5 ? 1 : 0;
}

/** Foreground paints the upper half, background the lower one. The 24 grays of the 256-color palette begin at 232. */
function shade([top, bottom]: readonly [number, number]): string {
  const level = (gray: number): number => 232 + Math.round(gray * 23);
  return `\x1b[38;5;${level(top)};48;5;${level(bottom)}m▀`;
}

/** Puts blocks of lines side by side, a few in a row. The blocks' lines are as wide as a picture already. */
export function sideBySide(blocks: readonly (readonly string[])[], perRow: number): readonly string[] {
  const lines: string[] = [];
  for (let first = 0; first < blocks.length; first += perRow) {
    const row = blocks.slice(first, first + perRow);
    for (let i = 0; i < row[0]!.length; i++)
      lines.push(
        row
          .map((block) => block[i])
          .join("  ")
          .trimEnd(),
      );
    lines.push("");
  }
  return lines;
}
