import type { Arrow } from "./diagram.ts";

/** A position in a layer: a box, or a bend of an arrow that passes the layer. */
export interface Slot {
  readonly id: string;
  readonly layer: number;
  /** The position within the layer. */
  order: number;
  readonly isBend: boolean;
}

/** Boxes and bends in layers, and the arrows split at layers. */
export interface Layered {
  readonly layers: readonly (readonly Slot[])[];
  /** The slots that each arrow passes, from its source to its target. */
  readonly routes: readonly (readonly string[])[];
}

/** The number of sweeps over the layers; a few are enough for graphs that are mostly chains. */
const SWEEPS = 6;

/** Assigns an acyclic graph, with `ids` in topological order, to layers with few crossings (Sugiyama's method). */
export function layer(ids: readonly string[], arrows: readonly Arrow[]): Layered {
  const depth = depths(ids, arrows);
  const slots = new Map<string, Slot>();
  const layers: Slot[][] = [];
  const place = (id: string, at: number, isBend: boolean): void => {
    while (layers.length <= at) layers.push([]);
    const slot = { id, layer: at, order: layers[at]!.length, isBend };
    layers[at]!.push(slot);
    slots.set(id, slot);
  };
  for (const id of ids) place(id, depth.get(id)!, false);
  const routes = arrows.map(({ from, to }, i) => {
    const [start, end] = [depth.get(from)!, depth.get(to)!];
    const bends = Array.from({ length: Math.max(end - start - 1, 0) }, (_, step) => `bend${i}_${step}`);
    bends.forEach((bend, step) => {
      place(bend, start + step + 1, true);
    });
    return [from, ...bends, to];
  });
  reduceCrossings(layers, routes, slots);
  return { layers, routes };
}

/**
 * Computes the longest path from the sources. Sources, and nodes that depend on one source alone, are placed directly
 * above their first use.
 */
function depths(ids: readonly string[], arrows: readonly Arrow[]): ReadonlyMap<string, number> {
  const incoming = new Map<string, string[]>(ids.map((id) => [id, []]));
  const outgoing = new Map<string, string[]>(ids.map((id) => [id, []]));
  for (const { from, to } of arrows) {
    incoming.get(to)!.push(from);
    outgoing.get(from)!.push(to);
  }
  const depth = new Map<string, number>();
  /** Nodes that can move down without lengthening an arrow: everything above them is used only by them. */
  const loose = new Set<string>();
  for (const id of ids) {
    const sources = incoming.get(id)!;
    depth.set(
      id,
      sources.reduce((deepest, from) => Math.max(deepest, depth.get(from)! + 1), 0),
    );
    if (sources.every((from) => loose.has(from) && outgoing.get(from)!.length === 1)) loose.add(id);
  }
  for (const id of ids.toReversed()) {
    const below = outgoing.get(id)!.map((to) => depth.get(to)!);
    if (loose.has(id) && below.length > 0) depth.set(id, Math.min(...below) - 1);
  }
  return depth;
}

/** Orders each layer by the mean position of its neighbors, alternating between down and up. */
function reduceCrossings(
  layers: readonly Slot[][],
  routes: readonly (readonly string[])[],
  slots: ReadonlyMap<string, Slot>,
): void {
  const above = new Map<string, Slot[]>();
  const below = new Map<string, Slot[]>();
  const link = (map: Map<string, Slot[]>, id: string, slot: Slot): void => {
    const known = map.get(id);
    if (known === undefined) map.set(id, [slot]);
    else known.push(slot);
  };
  for (const route of routes) {
    route.slice(1).forEach((to, i) => {
      link(above, to, slots.get(route[i]!)!);
      link(below, route[i]!, slots.get(to)!);
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const neighbors = sweep % 2 === 0 ? above : below;
    for (const slotsOfLayer of sweep % 2 === 0 ? layers : layers.toReversed()) {
      const weights = new Map(slotsOfLayer.map((slot) => [slot, mean(neighbors.get(slot.id), slot.order)] as const));
      slotsOfLayer.sort((a, b) => weights.get(a)! - weights.get(b)!);
      slotsOfLayer.forEach((slot, i) => {
        slot.order = i;
      });
    }
  }
}

function mean(neighbors: readonly Slot[] | undefined, fallback: number): number {
  if (neighbors === undefined) return fallback;
  return neighbors.reduce((sum, { order }) => sum + order, 0) / neighbors.length;
}
