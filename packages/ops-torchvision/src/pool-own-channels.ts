import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import { type BinWeights, rowsOfPictures } from "./pool-regions.ts";

/**
 * Position-sensitive pooling: weighted sums of features [N, C·bins·bins, H, W] over the bins of regions, where each bin has
 * channels of its own: [regions, C, bins, bins].
 */
export function poolOwnChannels(input: TensorMeta, weights: BinWeights, b: Builder): TensorMeta {
  const { reshape, permute, matmul, mul, sum } = arithmetic(b);
  const [n, channels, h, w] = input.shape as [number, number, number, number];
  const [k, down] = weights.rows.shape as [number, number, number];
  const across = weights.columns.shape[1]!;
  const c = channels / (down * across);
  const features = permute(reshape(input, n, c, down, across, h, w), 2, 0, 4, 1, 3, 5);
  const rows = matmul(byBin(weights, n, b), reshape(features, down, n * h, c * across * w));
  const columns = reshape(weights.columns, k, 1, across, w);
  return permute(sum(mul(reshape(rows, down, k, c, across, w), columns), -1), 1, 2, 0, 3);
}

/** The gradient of `poolOwnChannels` with respect to the features, of the given sizes. */
export function spreadOwnChannels(
  grad: TensorMeta,
  weights: BinWeights,
  [n, channels, h, w]: readonly [number, number, number, number],
  b: Builder,
): TensorMeta {
  const { reshape, permute, matmul, mul } = arithmetic(b);
  const [k, c, down, across] = grad.shape as [number, number, number, number];
  const columns = reshape(weights.columns, k, 1, across, w);
  const rows = mul(reshape(permute(grad, 2, 0, 1, 3), down, k, c, across, 1), columns);
  const features = matmul(permute(byBin(weights, n, b), 0, 2, 1), reshape(rows, down, k, c * across * w));
  return reshape(permute(reshape(features, down, n, h, c, across, w), 1, 3, 0, 4, 2, 5), n, channels, h, w);
}

/** The weights of rows for each bin: [bins, regions, N · height]. */
function byBin(weights: BinWeights, pictures: number, b: Builder): TensorMeta {
  const { reshape, permute } = arithmetic(b);
  const [k, down, height] = weights.rows.shape as [number, number, number];
  return reshape(permute(rowsOfPictures(weights, pictures, b), 1, 0, 2, 3), down, k, pictures * height);
}

/** The channel that each result was pooled from, int32 [regions, C, bins, bins]. */
export function channelMapping(shape: readonly [number, number, number, number], b: Builder): TensorMeta {
  const { reshape } = arithmetic(b);
  const [k, c, down, across] = shape;
  const channel = b.tensor("aten::arange", { end: c * down * across, dtype: "int32" });
  const expanded = b.tensor("aten::expand", { self: reshape(channel, 1, c, down, across), size: [k, c, down, across] });
  return b.tensor("aten::clone", { self: expanded, memory_format: "contiguous_format" });
}
