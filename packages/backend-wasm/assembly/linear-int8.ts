// linear(input[M,K], (weight - zero)·scale) + bias, the weight int8 in memory: packed by `productPack1`, dequantized in registers.
import { PANEL } from "./gemm-pack";
import { finishRow } from "./gemm-tile";
import { multiplyAdd } from "./multiply-add";
import { productPanel } from "./product-pack";

/** Bytes of a panel's scales, or zeros, for a group of K. */
const QPARAMS: usize = 32;

/**
 * Of pairs of int8 along K, which lie as neighboring int16, the first ones times 65536, as floats: the other one is shifted out.
 * Packed scales are divided by 65536 for that, and packed zeros multiplied.
 */
@inline
function firsts(pairs: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.shl(pairs, 16));
}

/** The second ones times 65536. */
@inline
function seconds(pairs: v128): v128 {
  return f32x4.convert_i32x4_s(v128.and(pairs, i32x4.splat(-65536)));
}

/** The weights of four columns that pairs hold, less their zeros. */
@inline
function less(hasZeros: bool, weights: v128, zeros: v128): v128 {
  return hasZeros ? f32x4.sub(weights, zeros) : weights;
}

/** One row against one panel. */
@inline
function row(
  hasZeros: bool, K: i32, group: i32, a: usize, b: usize, scales: usize, zeros: usize, c: usize, columns: i32, bias: usize,
): void {
  const none = f32x4.splat(0);
  let s0 = none, s1 = none;
  for (let left = K; left > 0; left -= group, scales += QPARAMS) {
    let t0 = none, t1 = none, u0 = none, u1 = none, z0 = none, z1 = none;
    if (hasZeros) z0 = v128.load(zeros), z1 = v128.load(zeros, 16), zeros += QPARAMS;
    for (const end = a + (<usize>(group & ~1) << 2); a < end; a += 8, b += 16) {
      const p0 = v128.load8x8_s(b), p1 = v128.load8x8_s(b, 8), x = v128.load32_splat(a), y = v128.load32_splat(a, 4);
      t0 = multiplyAdd(t0, x, less(hasZeros, firsts(p0), z0)), t1 = multiplyAdd(t1, x, less(hasZeros, firsts(p1), z1));
      u0 = multiplyAdd(u0, y, less(hasZeros, seconds(p0), z0)), u1 = multiplyAdd(u1, y, less(hasZeros, seconds(p1), z1));
    }
    if (group & 1) {
      const x = v128.load32_splat(a);
      t0 = multiplyAdd(t0, x, less(hasZeros, firsts(v128.load8x8_s(b)), z0));
      t1 = multiplyAdd(t1, x, less(hasZeros, firsts(v128.load8x8_s(b, 8)), z1));
    }
    s0 = multiplyAdd(s0, f32x4.add(t0, u0), v128.load(scales));
    s1 = multiplyAdd(s1, f32x4.add(t1, u1), v128.load(scales, 16));
  }
  finishRow(c, s0, s1, columns, bias, 0, none, none);
}

/**
 * Few rows, which read the weight themselves. `scales` and `zeros` have 8 floats for each panel and group of `group` steps of K,
 * which is even, or K. `zeros` may be 0, and so may `bias`. `lda` and `ldc` count elements.
 */
export function int8Rows(
  M: i32, N: i32, K: i32, group: i32, a: usize, lda: i32, b: usize, scales: usize, zeros: usize, c: usize, ldc: i32, bias: usize,
): void {
  const qparams = group ? QPARAMS * <usize>(K / group) : 0;
  for (let n = 0; n < N; n += PANEL, c += 4 * PANEL) {
    const columns = min(N - n, PANEL);
    for (let m = 0; m < M; m++) {
      const am = a + ((<usize>m * <usize>lda) << 2), cm = c + ((<usize>m * <usize>ldc) << 2);
      if (zeros) row(true, K, group, am, b, scales, zeros, cm, columns, bias);
      else row(false, K, group, am, b, scales, 0, cm, columns, bias);
    }
    b += productPanel(K, 1), scales += qparams;
    if (zeros) zeros += qparams;
    if (bias) bias += 4 * PANEL;
  }
}

/** Writes panels of N columns as floats, as `gemmPackB` packs them; what an odd K lacks of a pair is written behind them. */
export function int8Floats(N: i32, K: i32, group: i32, b: usize, scales: usize, zeros: usize, to: usize): void {
  for (let n = 0; n < N; n += PANEL, to += <usize>K << 5) {
    let at = to;
    for (let left = K; left > 0; left -= group, scales += QPARAMS) {
      const s0 = v128.load(scales), s1 = v128.load(scales, 16);
      const z0 = zeros ? v128.load(zeros) : f32x4.splat(0), z1 = zeros ? v128.load(zeros, 16) : z0;
      if (zeros) zeros += QPARAMS;
      for (let k = 0; k < group; k += 2, b += 16, at += 64) {
        const p0 = v128.load8x8_s(b), p1 = v128.load8x8_s(b, 8);
        v128.store(at, f32x4.mul(f32x4.sub(firsts(p0), z0), s0));
        v128.store(at, f32x4.mul(f32x4.sub(firsts(p1), z1), s1), 16);
        v128.store(at, f32x4.mul(f32x4.sub(seconds(p0), z0), s0), 32);
        v128.store(at, f32x4.mul(f32x4.sub(seconds(p1), z1), s1), 48);
      }
    }
  }
}
