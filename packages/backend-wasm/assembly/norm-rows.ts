// Normalizations of contiguous rows by the statistics of each.
import { loadTail, storeTail, sumLanes } from "./lanes";
import { rowSum } from "./reduce-rows";

const SUM_BLOCK: i32 = 512;

/**
 * y = (x - mean) / sqrt(variance + eps) * weight + bias over rows of `n` floats. `weight`, `bias` (n floats each), `mean`
 * and `rstd` (outputs, a float per row) may be 0; `dst` may be `src`.
 */
export function layerNormRows(
  src: usize, dst: usize, rows: i32, n: i32, weight: usize, bias: usize, eps: f32, mean: usize, rstd: usize,
): void {
  const bytes = <usize>n << 2;
  for (let row = 0; row < rows; row++, src += bytes, dst += bytes) {
    const center = <f32>(rowSum(src, n) / n);
    const scale = <f32>(1 / Math.sqrt(squares(src, n, center) / n + eps));
    affineRow(src, dst, n, center, scale, weight, bias);
    if (mean) store<f32>(mean + (<usize>row << 2), center);
    if (rstd) store<f32>(rstd + (<usize>row << 2), scale);
  }
}

/** y = x / sqrt(mean(x²) + eps) * weight over rows of `n` floats; `weight` and `rstd` (output) may be 0. */
export function rmsNormRows(src: usize, dst: usize, rows: i32, n: i32, weight: usize, eps: f32, rstd: usize): void {
  const bytes = <usize>n << 2;
  for (let row = 0; row < rows; row++, src += bytes, dst += bytes) {
    const scale = <f32>(1 / Math.sqrt(squares(src, n, 0) / n + eps));
    affineRow(src, dst, n, 0, scale, weight, 0);
    if (rstd) store<f32>(rstd + (<usize>row << 2), scale);
  }
}

/** The sum of (x - center)². */
export function squares(p: usize, n: i32, center: f32): f64 {
  const c = f32x4.splat(center);
  let total: f64 = 0;
  for (; n >= 8; ) {
    const block = min(n, SUM_BLOCK) & ~7;
    let a = f32x4.splat(0), b = a;
    for (let i = 0; i < block; i += 8, p += 32) {
      const x = f32x4.sub(v128.load(p), c), y = f32x4.sub(v128.load(p, 16), c);
      a = f32x4.add(a, f32x4.mul(x, x));
      b = f32x4.add(b, f32x4.mul(y, y));
    }
    total += sumLanes(a) + sumLanes(b);
    n -= block;
  }
  for (; n > 0; n--, p += 4) {
    const x = load<f32>(p) - center;
    total += <f64>x * x;
  }
  return total;
}

/** (x - center) * scale * weight + bias, where weight and bias may be 0. */
function affineRow(src: usize, dst: usize, n: i32, center: f32, scale: f32, weight: usize, bias: usize): void {
  const c = f32x4.splat(center), s = f32x4.splat(scale);
  const end = src + (<usize>(n & ~3) << 2);
  if (weight && bias) {
    for (; src < end; src += 16, dst += 16, weight += 16, bias += 16) {
      const x = f32x4.mul(f32x4.sub(v128.load(src), c), s);
      v128.store(dst, f32x4.add(f32x4.mul(x, v128.load(weight)), v128.load(bias)));
    }
  } else {
    for (; src < end; src += 16, dst += 16) {
      let x = f32x4.mul(f32x4.sub(v128.load(src), c), s);
      if (weight) x = f32x4.mul(x, v128.load(weight)), weight += 16;
      if (bias) x = f32x4.add(x, v128.load(bias)), bias += 16;
      v128.store(dst, x);
    }
  }
  if (n & 3) {
    let x = f32x4.mul(f32x4.sub(loadTail(src, n & 3, c), c), s);
    if (weight) x = f32x4.mul(x, loadTail(weight, n & 3, s));
    if (bias) x = f32x4.add(x, loadTail(bias, n & 3, s));
    storeTail(dst, x, n & 3);
  }
}
