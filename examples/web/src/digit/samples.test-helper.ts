import type { Point, Stroke } from "./strokes.ts";

/** Digits as people draw them, as corners in a 10 × 10 square, stroke by stroke. */
const CORNERS: Readonly<Record<string, string>> = {
  0: "5,1 3,2 2.2,4 2.2,6 3,8 5,9 7,8 7.8,6 7.8,4 7,2 5,1",
  1: "3.6,2.6 5.2,1 5.2,9",
  2: "2.5,3 3.2,1.6 5,1 6.8,1.8 7.2,3.2 6.4,5 4.4,7 2.4,9 7.6,9",
  3: "2.6,1.8 4.6,1 6.8,1.8 6.9,3.4 5.6,4.6 4.4,4.8 5.8,5 7.2,6.2 7,8 5,9 2.8,8.4",
  4: "5.6,1 2.4,6.2 8,6.2 | 6,3.6 6,9",
  5: "7.2,1 3.2,1 2.9,4.6 4.6,4 6.6,4.6 7.4,6.4 6.6,8.4 4.6,9 2.6,8.2",
  6: "6.6,1.2 4.4,2.6 3,5 2.8,7 3.8,8.8 5.6,9 7,7.8 6.8,6 5.2,5.2 3.4,6",
  7: "2.4,1.2 7.6,1.2 6,4.6 4.6,9",
  8: "6.8,2.2 5,1 3.2,2 3.4,3.6 5,4.8 6.8,6.4 6.8,8.2 5,9 3.2,8.2 3.2,6.6 5,4.8 6.6,3.6 6.8,2.2",
  9: "7,3.2 5.6,1.4 3.8,1.4 2.8,3.2 3.6,5 5.4,5.2 7,3.4 6.8,6 6.2,9",
};

/** The digit as strokes on the pad. */
export function drawn(digit: number): readonly Stroke[] {
  return CORNERS[digit]!.split(" | ").map((line) => line.split(" ").map(point));
}

function point(text: string): Point {
  const [x, y] = text.split(",").map(Number);
  return { x: x! / 10, y: y! / 10 };
}
