import { type Arrow, layer } from "@pt2/cli";
import { align } from "./align.ts";
import type { GraphBox, Picture } from "./boxes.ts";
import type { Beginning } from "./camera.ts";
import type { Point } from "./point.ts";

/** A box with the place of its center. */
export interface PlacedBox extends Point {
  readonly box: GraphBox;
  readonly width: number;
  readonly row: number;
}

/** An arrow as the centers that it goes through, from row to row. */
export interface Route extends Arrow {
  readonly points: readonly Point[];
}

/** A drawing. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: ReadonlyMap<string, PlacedBox>;
  readonly routes: readonly Route[];
}

/** Height of every box. */
export const BOX_HEIGHT = 42;
const ROW_GAP = 34;
const BEND_WIDTH = 6;
const MARGIN = 24;

/** Lays a picture out in rows. `widthOf` measures a box. */
export function layout({ boxes, arrows }: Picture, widthOf: (box: GraphBox) => number): Layout {
  const widths = new Map(boxes.map((box) => [box.id, widthOf(box)]));
  const { layers, routes } = layer(
    boxes.map(({ id }) => id),
    arrows,
  );
  const centers = align(layers, routes, (slot) => widths.get(slot.id) ?? BEND_WIDTH);
  const left = Math.min(
    0,
    ...layers.flatMap((row) => row.map(({ id }) => centers.get(id)! - (widths.get(id) ?? 0) / 2)),
  );
  const rowOf = new Map(layers.flatMap((row) => row.map((slot) => [slot.id, slot.layer] as const)));
  const place = (id: string): Point => ({
    x: centers.get(id)! - left + MARGIN,
    y: MARGIN + BOX_HEIGHT / 2 + rowOf.get(id)! * (BOX_HEIGHT + ROW_GAP),
  });
  const placed = boxes.map(
    (box): PlacedBox => ({ box, ...place(box.id), width: widths.get(box.id)!, row: rowOf.get(box.id)! }),
  );
  const right = Math.max(0, ...placed.map(({ x, width }) => x + width / 2));
  return {
    width: right + MARGIN,
    height: layers.length * (BOX_HEIGHT + ROW_GAP) - ROW_GAP + 2 * MARGIN,
    boxes: new Map(placed.map((each) => [each.box.id, each])),
    routes: routes.map((ids, i) => ({ ...arrows[i]!, points: ids.map(place) })),
  };
}

/** What the first rows of a drawing take, as far as `height` reaches. */
export function beginningOf({ boxes, width }: Layout, height: number): Beginning {
  const [first, ...others] = [...boxes.values()].filter(({ y }) => y - BOX_HEIGHT / 2 < height);
  if (first === undefined) return { left: 0, right: width, x: 0 };
  const near = [first, ...others];
  return {
    left: Math.min(...near.map((box) => box.x - box.width / 2)) - MARGIN,
    right: Math.max(...near.map((box) => box.x + box.width / 2)) + MARGIN,
    x: first.x,
  };
}
