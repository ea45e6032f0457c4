import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";

/** How much the rows and the columns of a feature map contribute to the bins of regions. */
export interface BinWeights {
  /** [regions, bins, height] and [regions, bins, width]. */
  readonly rows: TensorMeta;
  readonly columns: TensorMeta;
  /** The picture of each region: [regions]. */
  readonly batch: TensorMeta;
}

/** Weighted sums of the features [N, C, H, W] over the bins of regions: [regions, C, bins, bins]. */
export function poolRegions(input: TensorMeta, weights: BinWeights, b: Builder): TensorMeta {
  const { reshape, permute, matmul } = arithmetic(b);
  const [n, c, h, w] = input.shape as [number, number, number, number];
  const [k, down] = weights.rows.shape as [number, number, number];
  const across = weights.columns.shape[1]!;
  const features = reshape(permute(input, 0, 2, 1, 3), n * h, c * w);
  const rows = matmul(reshape(rowsOfPictures(weights, n, b), k * down, n * h), features);
  const pooled = matmul(reshape(rows, k, down * c, w), permute(weights.columns, 0, 2, 1));
  return permute(reshape(pooled, k, down, c, across), 0, 2, 1, 3);
}

/** The gradient of `poolRegions` with respect to the features, of the given sizes. */
export function spreadRegions(
  grad: TensorMeta,
  weights: BinWeights,
  [n, c, h, w]: readonly [number, number, number, number],
  b: Builder,
): TensorMeta {
  const { reshape, permute, matmul } = arithmetic(b);
  const [k, , down, across] = grad.shape as [number, number, number, number];
  const rows = matmul(reshape(permute(grad, 0, 2, 1, 3), k, down * c, across), weights.columns);
  const ofRows = permute(reshape(rowsOfPictures(weights, n, b), k * down, n * h), 1, 0);
  const features = matmul(ofRows, reshape(rows, k * down, c * w));
  return permute(reshape(features, n, h, c, w), 0, 2, 1, 3);
}

/** The weights of the rows of all pictures, [regions, bins, N, height]: those of other pictures are zero. */
export function rowsOfPictures({ rows, batch }: BinWeights, pictures: number, b: Builder): TensorMeta {
  const { reshape, mul, eq, cast, count } = arithmetic(b);
  const picture = pictureOf(batch, b);
  const [k, bins, height] = rows.shape as [number, number, number];
  const own = cast(eq(reshape(picture, k, 1, 1, 1), reshape(count(pictures, batch), pictures, 1)), rows.dtype);
  return mul(reshape(rows, k, bins, 1, height), own);
}

/** Pictures of regions, cut to integers as C does it. */
export function pictureOf(batch: TensorMeta, b: Builder): TensorMeta {
  return arithmetic(b).trunc(batch);
}
