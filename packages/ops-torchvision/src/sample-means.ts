import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { type BinWeights, pictureOf } from "./pool-regions.ts";
import type { Samples } from "./sample-weights.ts";

/** The samples of regions along both dimensions. */
export interface SampleGrid {
  readonly rows: Samples;
  readonly columns: Samples;
  /** The picture of each region: [regions]. */
  readonly batch: TensorMeta;
}

/** The weights by which elements are added up. */
export function sumWeights({ rows, columns, batch }: SampleGrid): BinWeights {
  return { rows: rows.weights, columns: columns.weights, batch };
}

/** The same for gradients, to which a sample whose place is NaN gives nothing. */
export function gradientWeights({ rows, columns, batch }: SampleGrid, b: Builder): BinWeights {
  const { not, isNan, where } = arithmetic(b);
  const known = (x: TensorMeta): TensorMeta => where(not(isNan(x)), x, 0);
  return { rows: known(rows.weights), columns: known(columns.weights), batch };
}

/**
 * The means of samples from their sums [regions, C, bins, bins]. Where one dimension has no sample that counts, or a picture is
 * not one of the `pictures`, the sum is 0. The mean of nothing is `nothing`.
 */
export function meanOfSamples(
  sums: TensorMeta,
  grid: SampleGrid,
  { pictures, nothing }: { readonly pictures: number; readonly nothing: 0 | "NaN" },
  b: Builder,
): TensorMeta {
  const { both, ge, lt, where, reshape, div } = arithmetic(b);
  const [k, , down, across] = sums.shape as [number, number, number, number];
  const { rows, columns, batch } = grid;
  const number = numberOfSamples(grid, b);
  const divisor = nothing === 0 ? atLeastOne(number, b) : number;
  if (rows.met === null || columns.met === null) return div(sums, divisor);
  const picture = reshape(pictureOf(batch, b), k, 1, 1, 1);
  const isThere = both(ge(picture, 0), lt(picture, pictures));
  const met = both(isThere, reshape(rows.met, k, 1, down, 1), reshape(columns.met, k, 1, 1, across));
  return div(where(met, sums, 0), divisor);
}

/** Divides the gradients of means [regions, C, bins, bins] among samples. */
export function shareOfSamples(grad: TensorMeta, grid: SampleGrid, b: Builder): TensorMeta {
  const { div } = arithmetic(b);
  return div(grad, atLeastOne(numberOfSamples(grid, b), b));
}

/** The number of samples of a bin: a number, or [regions, 1, 1, 1]. */
function numberOfSamples({ rows, columns }: SampleGrid, b: Builder): TensorMeta | number {
  const { mul, reshape } = arithmetic(b);
  if (typeof rows.number === "number" || typeof columns.number === "number") {
    return Number(rows.number) * Number(columns.number);
  }
  return reshape(mul(rows.number, columns.number), rows.number.shape[0]!, 1, 1, 1);
}

function atLeastOne(number: TensorMeta | number, b: Builder): TensorMeta | number {
  return typeof number === "number" ? Math.max(number, 1) : arithmetic(b).clamp(number, 1);
}
