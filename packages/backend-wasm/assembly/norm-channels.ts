// Normalization of groups of channels by their own statistics.
import { loadTail, storeTail } from "./lanes";
import { squares } from "./norm-rows";
import { rowSum } from "./reduce-rows";

/**
 * Group normalization of `count` groups from `first` on, each `perGroup` channels of n floats; `groups` make one element of the
 * batch. `src` and `dst` point at the whole tensor, and `dst` may be `src`; `weight`, `bias` (a float per channel), `mean` and
 * `rstd` (outputs, a float per group of the whole batch) may be 0.
 */
export function groupNormRows(
  src: usize, dst: usize, first: i32, count: i32, groups: i32, perGroup: i32, n: i32,
  weight: usize, bias: usize, eps: f32, mean: usize, rstd: usize,
): void {
  const size = perGroup * n;
  for (let group = first; group < first + count; group++) {
    const p = src + (<usize>group * <usize>size << 2);
    const center = rowSum(p, size) / size;
    const scale = 1 / Math.sqrt(squares(p, size, <f32>center) / size + eps);
    if (mean) store<f32>(mean + (<usize>group << 2), <f32>center);
    if (rstd) store<f32>(rstd + (<usize>group << 2), <f32>scale);
    for (let i = 0; i < perGroup; i++) {
      affineChannel(src, dst, group * perGroup + i, groups * perGroup, n, weight, bias, center, scale);
    }
  }
}

/**
 * The mean and the sum of the squared deviations from it, two doubles at `moments`, of each of `count` pieces from `first` on. A
 * group of `size` floats has pieces of `piece` floats, the last of what is left.
 */
export function groupMoments(src: usize, size: i32, piece: i32, first: i32, count: i32, moments: usize): void {
  const pieces = (size + piece - 1) / piece;
  for (let i = first; i < first + count; i++) {
    const start = i % pieces * piece;
    const n = min(piece, size - start);
    const p = src + ((<usize>(i / pieces) * <usize>size + <usize>start) << 2);
    const center = rowSum(p, n) / n;
    store<f64>(moments + (<usize>i << 4), center);
    store<f64>(moments + (<usize>i << 4), squares(p, n, <f32>center), 8);
  }
}

/** As `groupNormRows` for `count` channels from `first` on, from what `groupMoments` has found of all pieces. */
export function groupNormChannels(
  src: usize, dst: usize, first: i32, count: i32, groups: i32, perGroup: i32, n: i32, piece: i32, moments: usize,
  weight: usize, bias: usize, eps: f32, mean: usize, rstd: usize,
): void {
  const size = perGroup * n;
  const pieces = (size + piece - 1) / piece;
  let center: f64 = 0, scale: f64 = 0;
  for (let channel = first; channel < first + count; channel++) {
    const group = channel / perGroup;
    if (channel == first || channel % perGroup == 0) {
      const p = moments + (<usize>group * <usize>pieces << 4);
      center = joinedMean(p, size, piece);
      scale = 1 / Math.sqrt(joinedSquares(p, size, piece, center) / size + eps);
    }
    if (mean && channel % perGroup == 0) store<f32>(mean + (<usize>group << 2), <f32>center);
    if (rstd && channel % perGroup == 0) store<f32>(rstd + (<usize>group << 2), <f32>scale);
    affineChannel(src, dst, channel, groups * perGroup, n, weight, bias, center, scale);
  }
}

/** The mean of a group from the means of its pieces. */
function joinedMean(p: usize, size: i32, piece: i32): f64 {
  let sum: f64 = 0;
  for (let left = size; left > 0; left -= piece, p += 16) sum += load<f64>(p) * min(left, piece);
  return sum / size;
}

/** The sum of squared deviations of a group: those of its pieces from their means, and of these from the mean of all. */
function joinedSquares(p: usize, size: i32, piece: i32, center: f64): f64 {
  let sum: f64 = 0;
  for (let left = size; left > 0; left -= piece, p += 16) {
    const apart = load<f64>(p) - center;
    sum += load<f64>(p, 8) + apart * apart * min(left, piece);
  }
  return sum;
}

/** (x - center) * scale * weight + bias of one of `batch * channels` channels of n floats. */
@inline
function affineChannel(
  src: usize, dst: usize, channel: i32, channels: i32, n: i32, weight: usize, bias: usize, center: f64, scale: f64,
): void {
  const at = <usize>(channel % channels) << 2;
  const factor = weight ? scale * load<f32>(weight + at) : scale;
  const offset = bias ? <f64>load<f32>(bias + at) : 0;
  const start = <usize>channel * <usize>n << 2;
  scaleShift(src + start, dst + start, n, <f32>factor, <f32>(offset - center * factor));
}

function scaleShift(src: usize, dst: usize, n: i32, scale: f32, shift: f32): void {
  const a = f32x4.splat(scale), b = f32x4.splat(shift);
  const end = src + (<usize>(n & ~3) << 2);
  for (; src < end; src += 16, dst += 16) v128.store(dst, f32x4.add(f32x4.mul(v128.load(src), a), b));
  if (n & 3) storeTail(dst, f32x4.add(f32x4.mul(loadTail(src, n & 3, b), a), b), n & 3);
}
