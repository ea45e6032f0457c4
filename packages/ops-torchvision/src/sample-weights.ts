import type { Builder, TensorMeta } from "@pt2/registry";
import { arithmetic } from "./arithmetic.ts";
import type { Extent } from "./bin-weights.ts";

/** The samples of bins along one dimension. */
export interface Samples {
  /** How much each element contributes to the sum of the samples of a bin: [regions, bins, length]. */
  readonly weights: TensorMeta;
  /** How many samples a bin has, those beyond the border included: a number, or [regions]. */
  readonly number: TensorMeta | number;
  /** The bins with a sample that is not beyond the border, [regions, bins]; null where no weight can be NaN. */
  readonly met: TensorMeta | null;
}

/**
 * Samples of equal distance, `ratio` in a bin; from 0 down, as many as a bin covers elements, and none where its size is not
 * finite. A sample interpolates linearly between two elements; one beyond the border is the border's up to a distance of 1,
 * and nothing from there. What is NaN lies not beyond the border, and weighs NaN.
 *
 * The sum of a grid of samples is the product of the weights along both dimensions, because interpolation is.
 */
export function sampleWeights(extent: Extent, ratio: number, b: Builder): Samples {
  return ratio > 0 ? fixed(extent, ratio, b) : adaptive(extent, b);
}

function fixed(extent: Extent, ratio: number, b: Builder): Samples {
  const { add, mul, div, lt, gt, either, not, where, sum, cast, count, reshape } = arithmetic(b);
  const { start, bins, length } = extent;
  const { bin, first } = binsOf(extent, b);
  const place = add(first, div(mul(add(count(ratio, start), 0.5), bin), ratio));
  const counts = not(either(lt(place, -1), gt(place, length)));
  const met = gt(sum(cast(counts, start.dtype), -1), 0);
  return {
    weights: sum(where(counts, nearness(place, extent, b), 0), -1),
    number: ratio,
    met: reshape(met, start.shape[0]!, bins),
  };
}

function adaptive(extent: Extent, b: Builder): Samples {
  const { add, sub, mul, div, both, ge, le, lt, abs, ceil, clamp, where, sum, count, reshape } = arithmetic(b);
  const { start, length } = extent;
  const { bin, first, element } = binsOf(extent, b);
  const covered = ceil(bin);
  const grid = where(lt(abs(covered), Infinity), covered, 0);
  const divisor = clamp(grid, 1);
  const step = clamp(div(bin, divisor), 1e-20);
  // Samples by their number. Of those that follow the covered elements, which are half an element or more apart, seven
  // cover all that are nearer than 1 to an element.
  const before = sub(ceil(sub(div(sub(sub(element, 1), first), step), 0.5)), 1);
  const number = add(clamp(before, 0), count(NEARBY, start));
  const place = add(first, div(mul(add(number, 0.5), bin), divisor));
  const counts = both(lt(number, grid), ge(place, -1), le(place, length));
  return {
    weights: sum(where(counts, nearness(place, extent, b), 0), -1),
    number: reshape(grid, start.shape[0]!),
    met: null,
  };
}

const NEARBY = 7;

/** Sizes and first places of bins, and places of elements, to be broadcast to [regions, bins, length, samples]. */
function binsOf({ start, size, bins, length }: Extent, b: Builder) {
  const { add, mul, div, count, reshape } = arithmetic(b);
  const per = (x: TensorMeta): TensorMeta => reshape(x, start.shape[0]!, 1, 1, 1);
  const bin = per(div(size, bins));
  const first = add(per(start), mul(reshape(count(bins, start), bins, 1, 1), bin));
  return { bin, first, element: reshape(count(length, start), length, 1) };
}

/** How much elements contribute to samples that count. */
function nearness(place: TensorMeta, { start, length }: Extent, b: Builder): TensorMeta {
  const { sub, mul, abs, clamp, count, reshape } = arithmetic(b);
  const element = reshape(count(length, start), length, 1);
  const distance = abs(sub(clamp(place, 0, length - 1), element));
  return clamp(sub(mul(distance, -1), -1), 0);
}
