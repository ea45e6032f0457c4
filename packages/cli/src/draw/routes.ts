import type { Columns, Place } from "./columns.ts";

/** The distance between an arrow that changes columns and the boxes above and below. */
const CLEARANCE = 12;

/** Returns the SVG path of an arrow: down through its bends, and up beside a column where the next one begins. */
export function pathOf(route: readonly string[], { places, columns }: Columns): string {
  const points = route.map((id) => places.get(id)!);
  const first = points[0]!;
  let path = `M${at(first.x, bottomOf(first))}`;
  points.slice(1).forEach((to, i) => {
    const from = points[i]!;
    if (i > 0) path += `V${round(bottomOf(from))}`;
    path += to.column === from.column ? down(from, to) : over(from, to, columns[from.column]!.right);
  });
  return path;
}

function down(from: Place, to: Place): string {
  const middle = round((bottomOf(from) + topOf(to)) / 2);
  return `C${round(from.x)} ${middle} ${round(to.x)} ${middle} ${at(to.x, topOf(to))}`;
}

/** Leads an arrow down, up through the gutter beside the column, and down to the next box. */
function over(from: Place, to: Place, right: number): string {
  // Offsets by position, so that arrows do not overlap.
  const lane = right + 10 + (Math.abs(from.x) % 28);
  const [low, high] = [bottomOf(from) + CLEARANCE, topOf(to) - CLEARANCE];
  return `V${round(low)}H${round(lane)}V${round(high)}H${round(to.x)}V${round(topOf(to))}`;
}

function topOf({ y, height }: Place): number {
  return y - height / 2;
}

function bottomOf({ y, height }: Place): number {
  return y + height / 2;
}

function at(x: number, y: number): string {
  return `${round(x)} ${round(y)}`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
