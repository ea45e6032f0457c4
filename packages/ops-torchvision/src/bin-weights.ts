import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";

/** Regions along one dimension of a feature map, divided into bins of equal size. */
export interface Extent {
  /** Where each region begins, and how long it is, in elements of the feature map: [regions]. */
  readonly start: TensorMeta;
  readonly size: TensorMeta;
  /** The number of bins of a region. */
  readonly bins: number;
  /** The number of elements of the feature map. */
  readonly length: number;
}

/**
 * An edge of regions in whole elements, rounded from halves away from zero. Beyond 2^31, where torchvision's conversion to an
 * integer means nothing, it is cut; NaN stays.
 */
export function wholeEdge(corner: TensorMeta, scale: number, b: Builder): TensorMeta {
  const { mul, round, clamp } = arithmetic(b);
  return clamp(round(mul(corner, scale)), -FAR, FAR);
}

const FAR = 2 ** 31;

/**
 * How much each element contributes to the mean of a bin whose elements all contribute alike: [regions, bins, length]. Edges
 * are rounded outwards, and cut at `last`. A region with an edge that is NaN has no elements.
 */
export function meanWeights({ start, size, bins, length }: Extent, last: number, b: Builder): TensorMeta {
  const { add, mul, div, both, ge, lt, ceil, floor, clamp, count, reshape, cast, sum } = arithmetic(b);
  const regions = start.shape[0]!;
  const per = (x: TensorMeta): TensorMeta => reshape(x, regions, 1, 1);
  const bin = per(div(size, bins));
  const number = reshape(count(bins, start), bins, 1);
  const low = clamp(add(floor(mul(number, bin)), per(start)), 0, last);
  const high = clamp(add(ceil(mul(add(number, 1), bin)), per(start)), 0, last);
  const element = count(length, start);
  const inside = cast(both(ge(element, low), lt(element, high)), start.dtype);
  return div(inside, reshape(clamp(sum(inside, -1), 1), regions, bins, 1));
}
