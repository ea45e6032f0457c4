import { numel } from "@pt2/backend";
import { indexError } from "../staged/index-error.ts";
import type { HostData } from "../staged/run-value.ts";
import { broadcastPositions, broadcastShape } from "../strides/broadcast.ts";
import { wrapIndex } from "../strides/offsets.ts";
import { reader } from "./elements.ts";
import { indexIn, positions } from "./nonzero.ts";

/** `self[indices]` as the shape of the result and the offset in `self` of each of its elements. */
export interface Selection {
  readonly shape: readonly number[];
  readonly offsets: Float64Array;
}

interface Index {
  readonly shape: readonly number[];
  at(position: number): number;
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
    const dim = dims[k]!;
    const from = broadcastPositions(index.shape, common);
    for (let i = 0; i < bases.length; i++) {
      const row = wrapIndex(index.at(from[i]!), shape[dim]!);
      if (row === null) throw indexError(index.at(from[i]!), dim, shape[dim]!);
      bases[i]! += row * strides[dim]!;
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
  const offsets = new Float64Array(leads.length * bases.length * tails.length);
  let next = 0;
  for (const lead of leads) for (const base of bases) for (const tail of tails) offsets[next++] = lead + base + tail;
  const size = (d: number): number => shape[d]!;
  return { shape: [...before.map(size), ...common, ...after.map(size)], offsets };
}

/** One index per dimension. */
function expandMasks(indices: readonly (HostData | null)[]): readonly (Index | null)[] {
  return indices.flatMap((index): readonly (Index | null)[] => {
    if (index === null) return [null];
    if (index.dtype !== "bool" && index.dtype !== "uint8") {
      const read = reader(index);
      return [{ shape: index.shape, at: (i) => Number(read(i)) }];
    }
    const found = positions(index);
    return index.shape.map((_, d) => ({ shape: [found.length], at: (i) => indexIn(index.shape, d, found[i]!) }));
  });
}
