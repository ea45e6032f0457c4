import { type Arrow, layer, type Slot } from "@pt2/graph/draw";
import type { GraphBox, Picture } from "./boxes.ts";
import { settle } from "./settle.ts";

/** A place on the drawing; the top left corner is 0, 0. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A box with the place of its centre. */
export interface PlacedBox extends Point {
  readonly box: GraphBox;
  readonly width: number;
  readonly row: number;
}

/** An arrow as the centres that it goes through, from row to row. */
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
const GAP = 22;
const BEND_WIDTH = 6;
const MARGIN = 24;
/** Sweeps down and up; chains are straight long before. */
const SWEEPS = 24;

/** Lays a picture out in rows. `widthOf` measures a box. */
export function layout({ boxes, arrows }: Picture, widthOf: (box: GraphBox) => number): Layout {
  const widths = new Map(boxes.map((box) => [box.id, widthOf(box)]));
  const { layers, routes } = layer(
    boxes.map(({ id }) => id),
    arrows,
  );
  const centres = align(layers, routes, (slot) => widths.get(slot.id) ?? BEND_WIDTH);
  const left = Math.min(
    0,
    ...layers.flatMap((row) => row.map(({ id }) => centres.get(id)! - (widths.get(id) ?? 0) / 2)),
  );
  const rowOf = new Map(layers.flatMap((row) => row.map((slot) => [slot.id, slot.layer] as const)));
  const place = (id: string): Point => ({
    x: centres.get(id)! - left + MARGIN,
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

/** Moves every row towards the rows around it, so that chains become straight lines. */
function align(
  layers: readonly (readonly Slot[])[],
  routes: readonly (readonly string[])[],
  widthOf: (slot: Slot) => number,
): ReadonlyMap<string, number> {
  const rows = layers.map((slots) => slots.toSorted((a, b) => a.order - b.order));
  const centres = new Map<string, number>();
  for (const slots of rows) {
    const packed = settle(
      slots.map((slot) => ({ at: 0, weight: 1, width: widthOf(slot) })),
      GAP,
    );
    slots.forEach((slot, i) => {
      centres.set(slot.id, packed[i]!);
    });
  }
  const above = new Map<string, string[]>();
  const below = new Map<string, string[]>();
  for (const route of routes)
    route.slice(1).forEach((to, i) => {
      push(above, to, route[i]!);
      push(below, route[i]!, to);
    });
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const down = sweep % 2 === 0;
    for (const slots of down ? rows : rows.toReversed()) {
      const wishes = slots.map((slot) => {
        const neighbours = [...((down ? above : below).get(slot.id) ?? [])];
        const at = neighbours.length === 0 ? centres.get(slot.id)! : mean(neighbours.map((id) => centres.get(id)!));
        return { at, weight: slot.isBend ? BEND_WEIGHT : 1, width: widthOf(slot) };
      });
      const settled = settle(wishes, GAP);
      slots.forEach((slot, i) => {
        centres.set(slot.id, settled[i]!);
      });
    }
  }
  return centres;
}

/** Boxes stay in line; what passes beside them gives way. */
const BEND_WEIGHT = 0.02;

function push(map: Map<string, string[]>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
