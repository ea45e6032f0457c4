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

/** How many samples a bin has along a dimension. */
export interface Sampling {
  /** The number for all bins; from 0 down, as many as the bin covers elements. */
  readonly ratio: number;
  /** Whether a bin without samples is zero; it is NaN otherwise, as the mean of nothing. */
  readonly emptyIsZero: boolean;
}

/**
 * How much each element contributes to the mean of the samples of a bin: [regions, bins, length]. A sample interpolates
 * linearly between two elements; one beyond the border is the border's up to a distance of 1, and nothing from there.
 *
 * RoIAlign's mean over a grid of samples is the product of the weights along both dimensions, because its interpolation is.
 */
export function sampleWeights(
  { start, size, bins, length }: Extent,
  { ratio, emptyIsZero }: Sampling,
  b: Builder,
): TensorMeta {
  const { add, sub, mul, div, both, cast, ge, le, lt, abs, ceil, clamp, count, reshape, sum } = arithmetic(b);
  const regions = start.shape[0]!;
  const per = (x: TensorMeta): TensorMeta => reshape(x, regions, 1, 1, 1);
  const bin = per(div(size, bins));
  const first = add(per(start), mul(reshape(count(bins, start), bins, 1, 1), bin));
  const element = reshape(count(length, start), length, 1);
  const grid = ratio > 0 ? null : ceil(bin);
  const step = grid === null ? div(bin, ratio) : div(bin, clamp(grid, 1));
  // Samples by their number. Of those that follow the covered elements, which are half an element or more apart, seven
  // cover all that are nearer than 1 to an element.
  const number =
    grid === null
      ? count(ratio, start)
      : add(
          clamp(sub(ceil(sub(div(sub(sub(element, 1), first), clamp(step, 1e-20)), 0.5)), 1), 0),
          count(NEARBY, start),
        );
  const place = add(first, mul(add(number, 0.5), step));
  const conditions = [ge(place, -1), le(place, length), ...(grid === null ? [] : [lt(number, grid)])];
  const distance = abs(sub(clamp(place, 0, length - 1), element));
  const weight = mul(clamp(sub(mul(distance, -1), -1), 0), cast(both(...conditions), start.dtype));
  if (grid === null) return div(sum(weight, -1), ratio);
  const samples = reshape(grid, regions, 1, 1);
  return div(sum(weight, -1), emptyIsZero ? clamp(samples, 1) : samples);
}

const NEARBY = 7;

/** The same for bins whose elements all contribute alike. Edges are rounded outwards, and cut at `last`. */
export function meanWeights(extent: Extent, last: number, b: Builder): TensorMeta {
  const { div, clamp, cast, sum, reshape } = arithmetic(b);
  const inside = cast(insideBins(extent, last, b), extent.start.dtype);
  const [regions, bins] = inside.shape as [number, number];
  return div(inside, reshape(clamp(sum(inside, -1), 1), regions, bins, 1));
}

/** Which elements bins have whose edges are rounded outwards, and cut at `last`: bool [regions, bins, length]. */
export function insideBins({ start, size, bins, length }: Extent, last: number, b: Builder): TensorMeta {
  const { add, mul, div, both, ge, lt, ceil, floor, clamp, count, reshape } = arithmetic(b);
  const regions = start.shape[0]!;
  const per = (x: TensorMeta): TensorMeta => reshape(x, regions, 1, 1);
  const bin = per(div(size, bins));
  const number = reshape(count(bins, start), bins, 1);
  const low = clamp(add(floor(mul(number, bin)), per(start)), 0, last);
  const high = clamp(add(ceil(mul(add(number, 1), bin)), per(start)), 0, last);
  const element = count(length, start);
  return both(ge(element, low), lt(element, high));
}
