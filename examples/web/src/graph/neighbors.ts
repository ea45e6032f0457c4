import type { Layout, PlacedBox } from "./layout.ts";

/** A direction in which the selection moves. */
export type Direction = "up" | "down" | "left" | "right";

/** The box that an arrow key leads to: along an arrow of the graph, or to the next box of the row. */
export function neighbor(layout: Layout, from: string | null, direction: Direction): PlacedBox | undefined {
  const here = layout.boxes.get(from ?? "");
  if (here === undefined) return layout.boxes.values().next().value;
  if (direction === "left" || direction === "right") {
    const row = [...layout.boxes.values()].filter((box) => box.row === here.row).sort((a, b) => a.x - b.x);
    return row[row.indexOf(here) + (direction === "left" ? -1 : 1)];
  }
  const linked = layout.routes.flatMap((route) => {
    if (direction === "down") return route.from === from ? [layout.boxes.get(route.to)!] : [];
    return route.to === from ? [layout.boxes.get(route.from)!] : [];
  });
  // The nearest is what a reader expects next; other ones are a row away.
  return linked.sort((a, b) => distance(a, here) - distance(b, here))[0];
}

function distance(a: PlacedBox, b: PlacedBox): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}
