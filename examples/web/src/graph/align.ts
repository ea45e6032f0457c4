import type { Slot } from "@pt2/cli";
import { settle } from "./settle.ts";

/** Distance between neighbors of a row. */
const GAP = 22;
/** Sweeps down and up; chains are straight long before. */
const SWEEPS = 24;
/** Boxes stay in line; arrows that pass beside them give way. */
const BEND_WEIGHT = 0.02;

interface Seat {
  readonly id: string;
  readonly width: number;
  readonly weight: number;
  /** Center. */
  x: number;
  readonly above: Seat[];
  readonly below: Seat[];
}

/**
 * Centers for the slots of every row, in their order. Rows move towards the rows around them, down and up in turn, so that
 * chains become straight lines.
 */
export function align(
  layers: readonly (readonly Slot[])[],
  routes: readonly (readonly string[])[],
  widthOf: (slot: Slot) => number,
): ReadonlyMap<string, number> {
  const rows = layers.map((slots) => slots.toSorted((a, b) => a.order - b.order).map((slot) => seatOf(slot, widthOf)));
  const seats = new Map(rows.flat().map((seat) => [seat.id, seat]));
  for (const route of routes) {
    route.slice(1).forEach((to, i) => {
      const [upper, lower] = [seats.get(route[i]!)!, seats.get(to)!];
      upper.below.push(lower);
      lower.above.push(upper);
    });
  }
  for (const row of rows) move(row, () => 0);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const isDown = sweep % 2 === 0;
    for (const row of isDown ? rows : rows.toReversed())
      move(row, (seat) => middle(isDown ? seat.above : seat.below) ?? seat.x);
  }
  return new Map([...seats.values()].map(({ id, x }) => [id, x]));
}

function seatOf(slot: Slot, widthOf: (slot: Slot) => number): Seat {
  const weight = slot.isBend ? BEND_WEIGHT : 1;
  return { id: slot.id, width: widthOf(slot), weight, x: 0, above: [], below: [] };
}

function move(row: readonly Seat[], wish: (seat: Seat) => number): void {
  const settled = settle(
    row.map((seat) => ({ at: wish(seat), weight: seat.weight, width: seat.width })),
    GAP,
  );
  row.forEach((seat, i) => {
    seat.x = settled[i]!;
  });
}

/** Where neighbors are on average; boxes count more than arrows that pass. */
function middle(neighbors: readonly Seat[]): number | undefined {
  const weight = neighbors.reduce((sum, seat) => sum + seat.weight, 0);
  return weight === 0 ? undefined : neighbors.reduce((sum, seat) => sum + seat.weight * seat.x, 0) / weight;
}
