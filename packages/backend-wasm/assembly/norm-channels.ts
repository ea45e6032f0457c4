// Normalisation per channel: scale and shift in both layouts, and groups of channels by their own statistics.
import { loadTail, storeTail } from "./lanes";
import { squares } from "./norm-rows";
import { rowSum } from "./reduce-rows";

/** NCHW: rows of `n` floats, row r scaled and shifted as channel r mod `channels`; `dst` may be `src`. */
export function affineChannelRows(
  src: usize, dst: usize, rows: i32, n: i32, channels: i32, scale: usize, shift: usize,
): void {
  const bytes = <usize>n << 2;
  for (let row = 0, channel = 0; row < rows; row++, src += bytes, dst += bytes) {
    const at = <usize>channel << 2;
    scaleShift(src, dst, n, load<f32>(scale + at), load<f32>(shift + at));
    if (++channel == channels) channel = 0;
  }
}

/** NHWC: rows of one float per channel, scaled and shifted; `dst` may be `src`. */
export function affineChannelColumns(
  src: usize, dst: usize, rows: i32, channels: i32, scale: usize, shift: usize,
): void {
  const whole = <usize>(channels & ~3) << 2;
  for (let row = 0; row < rows; row++) {
    for (let i: usize = 0; i < whole; i += 16, src += 16, dst += 16) {
      v128.store(dst, f32x4.add(f32x4.mul(v128.load(src), v128.load(scale + i)), v128.load(shift + i)));
    }
    for (let i = whole; i < <usize>channels << 2; i += 4, src += 4, dst += 4) {
      store<f32>(dst, load<f32>(src) * load<f32>(scale + i) + load<f32>(shift + i));
    }
  }
}

/**
 * Group normalisation of [batch, channels, n], `channels` a multiple of `groups`. `weight`, `bias` (a float per channel),
 * `mean` and `rstd` (outputs, a float per batch element and group) may be 0; `dst` may be `src`.
 */
export function groupNormRows(
  src: usize, dst: usize, batch: i32, channels: i32, groups: i32, n: i32,
  weight: usize, bias: usize, eps: f32, mean: usize, rstd: usize,
): void {
  const perGroup = channels / groups;
  const count = perGroup * n;
  for (let group = 0; group < batch * groups; group++) {
    const center = rowSum(src, count) / count;
    const scale = 1 / Math.sqrt(squares(src, count, <f32>center) / count + eps);
    if (mean) store<f32>(mean + (<usize>group << 2), <f32>center);
    if (rstd) store<f32>(rstd + (<usize>group << 2), <f32>scale);
    for (let i = 0; i < perGroup; i++, src += <usize>n << 2, dst += <usize>n << 2) {
      const at = <usize>((group % groups) * perGroup + i) << 2;
      const factor = weight ? scale * load<f32>(weight + at) : scale;
      const offset = bias ? <f64>load<f32>(bias + at) : 0;
      scaleShift(src, dst, n, <f32>factor, <f32>(offset - center * factor));
    }
  }
}

function scaleShift(src: usize, dst: usize, n: i32, scale: f32, shift: f32): void {
  const a = f32x4.splat(scale), b = f32x4.splat(shift);
  const end = src + (<usize>(n & ~3) << 2);
  for (; src < end; src += 16, dst += 16) v128.store(dst, f32x4.add(f32x4.mul(v128.load(src), a), b));
  if (n & 3) storeTail(dst, f32x4.add(f32x4.mul(loadTail(src, n & 3, b), a), b), n & 3);
}
