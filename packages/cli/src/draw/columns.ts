import type { Box } from "./diagram.ts";
import type { Layered, Slot } from "./layers.ts";

/** The sizes of boxes and the gaps between layers. */
export interface Metrics {
  readonly boxWidth: (box: Box) => number;
  readonly boxHeight: (box: Box) => number;
  readonly bendWidth: number;
  readonly slotGap: number;
  readonly layerGap: number;
  /** The gap between two columns, which arrows use on their way up. */
  readonly gutter: number;
}

/** The position of a box or a bend: its center, its height, and its column. */
export interface Place {
  readonly x: number;
  readonly y: number;
  readonly height: number;
  readonly column: number;
}

/** A column of layers. */
export interface Column {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** Layers in columns side by side. */
export interface Columns {
  readonly places: ReadonlyMap<string, Place>;
  readonly columns: readonly Column[];
  readonly width: number;
  readonly height: number;
}

/** The target ratio of height to width, which suits screens. */
const SHAPE = 0.8;

/** Stacks layers, in as many columns as make a picture that fits a screen. */
export function arrange(layered: Layered, boxes: ReadonlyMap<string, Box>, metrics: Metrics): Columns {
  const rows = layered.layers.map((slots) => rowOf(slots, boxes, metrics));
  const height = rows.reduce((sum, row) => sum + row.height + metrics.layerGap, 0);
  let best = placeIn(rows, height, metrics);
  for (let count = 2; count <= rows.length && best.height > SHAPE * best.width; count++) {
    const next = placeIn(rows, height / count, metrics);
    if (next.height >= best.height) continue;
    best = next;
  }
  return best;
}

interface Row {
  readonly slots: readonly { readonly id: string; readonly width: number; readonly height: number }[];
  readonly width: number;
  readonly height: number;
}

function rowOf(slots: readonly Slot[], boxes: ReadonlyMap<string, Box>, metrics: Metrics): Row {
  const sized = slots.map(({ id, isBend }) => {
    if (isBend) return { id, width: metrics.bendWidth, height: 0 };
    const box = boxes.get(id)!;
    return { id, width: metrics.boxWidth(box), height: metrics.boxHeight(box) };
  });
  const width = sized.reduce((sum, slot) => sum + slot.width + metrics.slotGap, -metrics.slotGap);
  const height = Math.max(0, ...sized.map((slot) => slot.height));
  // A bend leads an arrow through the whole height of its row.
  return { slots: sized.map((slot) => (slot.height === 0 ? { ...slot, height } : slot)), width, height };
}

function placeIn(rows: readonly Row[], limit: number, { layerGap, slotGap, gutter }: Metrics): Columns {
  const filled: Row[][] = [[]];
  let used = 0;
  for (const row of rows) {
    if (used > 0 && used + row.height > limit + layerGap) {
      filled.push([]);
      used = 0;
    }
    filled.at(-1)!.push(row);
    used += row.height + layerGap;
  }
  const places = new Map<string, Place>();
  const columns: Column[] = [];
  let left = 0;
  let height = 0;
  filled.forEach((column, at) => {
    const width = Math.max(0, ...column.map((row) => row.width));
    let y = 0;
    for (const row of column) {
      let x = left + (width - row.width) / 2;
      for (const slot of row.slots) {
        places.set(slot.id, { x: x + slot.width / 2, y: y + row.height / 2, height: slot.height, column: at });
        x += slot.width + slotGap;
      }
      y += row.height + layerGap;
    }
    columns.push({ left, right: left + width, top: 0, bottom: y - layerGap });
    height = Math.max(height, y - layerGap);
    left += width + gutter;
  });
  return { places, columns, width: left - gutter, height };
}
