import type { Place } from "../../engine/place.ts";
import type { Heads } from "./heads.ts";

type Matrices = Pick<Heads, "batch" | "query" | "key" | "value" | "mask">;

/** Heads that share their keys and have one query each, as one head whose queries are theirs. */
export function mergedHeads({ batch, query, key, value, mask }: Matrices): Matrices {
  const without = (place: Place, dim: number): Place => ({
    ...place,
    shape: place.shape.toSpliced(dim, 1),
    strides: place.strides.toSpliced(dim, 1),
  });
  return {
    batch: batch.slice(0, -1),
    query: without(query, -2),
    key: without(key, -3),
    value: without(value, -3),
    mask: mask && without(mask, -2),
  };
}
