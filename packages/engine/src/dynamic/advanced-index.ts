import { numel } from "@pt2/backend";
import { isMask } from "@pt2/registry";
import { hostArray } from "../host/host-array.ts";
import { indexError } from "../staged/index-error.ts";
import type { HostData } from "../staged/run-value.ts";
import { broadcastPositions, broadcastShape } from "../strides/broadcast.ts";
import { wrapIndex } from "../strides/offsets.ts";
import { indicesIn, positions } from "./nonzero.ts";

/** `self[indices]` as the shape of the result and the offset in `self` of each of its elements. */
export interface Selection {
  readonly shape: readonly number[];
  readonly offsets: Float64Array;
}

interface Index {
  readonly shape: readonly number[];
  /** Row-major; those of a tensor count from the end where they are negative. */
  readonly rows: Int32Array | Float64Array;
}

/** Selects with index tensors and masks; null keeps a dimension. A mask stands for the positions of its true elements. */
export function selectElements(
  shape: readonly number[],
  strides: readonly number[],
  given: readonly (HostData | null)[],
): Selection {
  const indices = expandMasks(given);
  const dims = indices.flatMap((index, d) => (index === null ? [] : [d]));
  const used = indices.filter((index) => index !== null);
  const common = broadcastShape(used.map((index) => index.shape));
  const bases = new Float64Array(numel(common));
  for (const [k, index] of used.entries()) {
    const [dim, from] = [dims[k]!, positionsIn(index.shape, common)];
    const [size, stride] = [shape[dim]!, strides[dim]!];
    for (let i = 0; i < bases.length; i++) {
      const given = index.rows[from === null ? i : from[i]!]!;
      const row = wrapIndex(given, size);
      if (row === null) throw indexError(given, dim, size);
      bases[i]! += row * stride;
    }
  }
  const adjacent = dims.every((d, i) => d === dims[0]! + i);
  const kept = [...shape.keys()].filter((d) => !dims.includes(d));
  const before = adjacent ? kept.filter((d) => d < dims[0]!) : [];
  const after = kept.filter((d) => !before.includes(d));
  const spread = (over: readonly number[]): readonly number[] =>
    over.reduce<readonly number[]>(
      (all, d) => all.flatMap((base) => Array.from({ length: shape[d]! }, (_, i) => base + i * strides[d]!)),
      [0],
    );
  const [leads, tails] = [spread(before), spread(after)];
  const size = (d: number): number => shape[d]!;
  const selected = [...before.map(size), ...common, ...after.map(size)];
  if (kept.length === 0) return { shape: selected, offsets: bases };
  const offsets = new Float64Array(leads.length * bases.length * tails.length);
  let next = 0;
  for (const lead of leads) for (const base of bases) for (const tail of tails) offsets[next++] = lead + base + tail;
  return { shape: selected, offsets };
}

/** One index per dimension. */
function expandMasks(indices: readonly (HostData | null)[]): readonly (Index | null)[] {
  return indices.flatMap((index): readonly (Index | null)[] => {
    if (index === null) return [null];
    if (!isMask(index)) return [{ shape: index.shape, rows: hostArray(index).data }];
    const found = positions(index);
    return index.shape.map((_, d) => ({ shape: [found.length], rows: indicesIn(index.shape, d, found) }));
  });
}

/** Where in an index the entry for each position of a common shape is; null where that is the same place. */
function positionsIn(own: readonly number[], common: readonly number[]): Int32Array | null {
  return numel(own) === numel(common) ? null : broadcastPositions(own, common);
}
