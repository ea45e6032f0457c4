import type { Builder } from "../../builder.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "./emit.ts";

/**
 * Counts, for each position from 0 to `size` - 1, the elements of a vector of positions that are not behind it. The
 * elements lie between 0 and `size`. A running count takes time and memory for the elements and the positions, where
 * comparisons would take them for all pairs.
 */
export function countUpTo(b: Builder, positions: TensorMeta, size: number): TensorMeta {
  const e = emit(b);
  // Elements of `size` itself are behind all positions, but need a place.
  const self = e.full([size + 1], 0, "int64");
  const source = e.full(positions.shape, 1, "int64");
  const found = b.tensor("aten::index_add", { self, dim: 0, index: positions, source });
  return e.slice(b.tensor("aten::cumsum", { self: found, dim: 0 }), 0, 0, size);
}
