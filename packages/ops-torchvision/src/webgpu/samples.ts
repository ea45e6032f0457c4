import { DIVIDE } from "./divide.ts";

/**
 * WGSL of samples at equal distances along one dimension of a bin:
 *
 * - `samples_of(start, size, bins, at, length)`: those of bin `at` of a region, in a map of `length` elements. A bin has
 *   `p.ratio` of them, or with a ratio of 0 as many as it covers elements, and none where its size is not finite; then only
 *   those near the map are visited, so that the largest region takes no longer than the map.
 * - `place_of(samples, i)`: where the i-th visited sample lies; `is_outside(place, length)`: whether it counts nothing, which
 *   of NaN is not so.
 */
export const SAMPLES: string = `${DIVIDE}struct Samples { first: f32, bin: f32, number: f32, begin: f32, visited: u32 }
fn samples_of(start: f32, size: f32, bins: u32, at: u32, length: u32) -> Samples {
  let bin = divide(size, f32(bins));
  let covered = select(ceil(bin), 0f, is_nan(bin) || is_inf(bin));
  let number = select(covered, p.ratio, p.ratio > 0f);
  var samples = Samples(start + f32(at) * bin, bin, number, 0f, u32(p.ratio));
  if (p.ratio > 0f || is_nan(bin) || is_inf(bin) || bin <= 0f) { return samples; }
  // They are half an element or more apart.
  let step = bin / number;
  let end = clamp(floor((f32(length) - samples.first) / step) + 2f, 0f, number);
  samples.begin = clamp(ceil((-1f - samples.first) / step) - 2f, 0f, number);
  samples.visited = u32(clamp(end - samples.begin, 0f, 2f * f32(length) + 8f));
  return samples;
}
fn place_of(samples: Samples, i: u32) -> f32 {
  return samples.first + divide((samples.begin + f32(i) + 0.5f) * samples.bin, max(samples.number, 1f));
}
fn is_outside(place: f32, length: u32) -> bool { return !is_nan(place) && (place < -1f || place > f32(length)); }
`;

/**
 * WGSL of linear interpolation between elements: `neighbors(place, length)` are the two next to a place, and how far it is
 * from the lower one; beyond the border is the element there.
 */
export const NEIGHBORS = `struct Neighbors { low: u32, high: u32, part: f32 }
fn neighbors(place: f32, length: u32) -> Neighbors {
  let inside = max(place, 0f);
  let low = u32(inside);
  if (low + 1u >= length) { return Neighbors(length - 1u, length - 1u, 0f); }
  return Neighbors(low, low + 1u, inside - f32(low));
}
`;
