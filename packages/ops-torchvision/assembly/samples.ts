// The samples of regions along one dimension, as RoIAlign takes them. The sum of a grid of samples is that over rows and
// columns of the product of their weights, because interpolation is.
import { append } from "./entries";

/** How many samples of a bin are all visited; of more, only those near the map. */
const FEW: f32 = 64;
/** The number from which samples are not counted. */
const MOST: f64 = 1e18;

/** What an element is to a bin: read by a sample, and read with a weight of zero, by which an infinity becomes NaN. */
const READ: i32 = 1, WITHOUT_WEIGHT: i32 = 2;

/** The samples of a bin: `ratio`, or from 0 down as many as it covers elements, and none where its size is not finite. */
export function samplesOf(size: f32, bins: i32, ratio: i32): f32 {
  if (ratio > 0) return <f32>ratio;
  const covered = Mathf.ceil(size / <f32>bins);
  return Mathf.abs(covered) < Infinity ? covered : 0;
}

/**
 * Lists what the samples of all bins of a region read: `ends` [bins], where the entries of each bin end, those of the first
 * beginning at `list`, which has room for 2 · length + 1 entries of each. Elements are `stride` bytes apart. `marks`: (weight,
 * what an element is to a bin) for `length` elements, zeros, which are left as zeros.
 */
export function listSamples(
  list: usize,
  ends: usize,
  marks: usize,
  start: f32,
  size: f32,
  bins: i32,
  length: i32,
  number: f32,
  stride: usize,
): void {
  const bin = size / <f32>bins;
  for (let b = 0; b < bins; b++) {
    const first = start + <f32>b * bin;
    let i: i64 = 0, last: i64 = 0;
    if (number <= FEW || bin == 0) {
      last = <i64>max<f32>(number, 0);
    } else if (Mathf.abs(first) < Infinity && Mathf.abs(bin) < Infinity) {
      const step = <f64>bin / <f64>number, all = min<f64>(number, MOST);
      const one = (-1 - <f64>first) / step, other = (<f64>length - <f64>first) / step;
      i = <i64>cut(Math.floor(min(one, other)) - 3, all);
      last = <i64>cut(Math.ceil(max(one, other)) + 3, all);
    } else {
      // The first sample tells where all are.
      last = 1;
    }
    let low = length, high = -1;
    let isLost = false;
    for (; i < last; i++) {
      const place = first + ((<f32>i + 0.5) * bin) / number;
      if (place < -1 || place > <f32>length) continue;
      if (place != place) {
        isLost = true;
        break;
      }
      const inside = max<f32>(place, 0);
      const near = min(<i32>inside, length - 1), far = min(near + 1, length - 1);
      const part: f32 = near == far ? <f32>0 : inside - <f32>near;
      mark(marks, near, 1 - part);
      mark(marks, far, part);
      low = min(low, near);
      high = max(high, far);
    }
    for (let at = low; at <= high; at++) {
      const here = marks + (<usize>at << 3);
      const weight = load<f32>(here), uses = load<i32>(here, 4);
      if (uses & READ) list = append(list, <usize>at * stride, weight);
      if (uses & WITHOUT_WEIGHT && weight > 0) list = append(list, <usize>at * stride, 0);
      store<i64>(here, 0);
    }
    if (isLost) list = append(list, 0, <f32>NaN);
    store<u32>(ends + (<usize>b << 2), <u32>list);
  }
}

@inline
function mark(marks: usize, at: i32, weight: f32): void {
  const here = marks + (<usize>at << 3);
  store<f32>(here, load<f32>(here) + weight);
  store<i32>(here, load<i32>(here, 4) | READ | (weight > 0 ? 0 : WITHOUT_WEIGHT), 4);
}

@inline
function cut(x: f64, most: f64): f64 {
  return x > 0 ? (x < most ? x : most) : 0;
}
