// Normalization of groups of channels by their own statistics.
import { loadTail, storeTail } from "./lanes";
import { squares } from "./norm-rows";
import { rowSum } from "./reduce-rows";

/**
 * Group normalization of [batch, channels, n], `channels` a multiple of `groups`. `weight`, `bias` (a float per channel),
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
