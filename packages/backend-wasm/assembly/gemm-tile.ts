// The register tile of the matrix product: up to `ROWS` rows of A against one panel of 8 columns of packed B.
import { multiplyAdd } from "./multiply-add";
import { FETCHES, fetch } from "./prefetch";

/** The tile adds to C instead of overwriting it. */
export const ACCUMULATE: i32 = 1;
/** The tile clamps what it stores to [lo, hi]. */
export const CLAMP: i32 = 2;
/** The bias has one element per row of C, not per column. */
export const BIAS_ROWS: i32 = 4;
/** Steps of K after which the next share of what comes later is fetched. */
export const SEGMENT: i32 = 64;

/** One instruction a bound, and NaN passes, where `min` and `max` take eight. */
@inline
function clamp(x: v128, lo: v128, hi: v128): v128 {
  return f32x4.pmin(f32x4.pmax(x, lo), hi);
}

/** Stores fewer than eight sums at `c`: bias, what C held, clamp. */
function finishTail(c: usize, s0: v128, s1: v128, columns: i32, bias: usize, flags: i32, lo: v128, hi: v128): void {
  const step: usize = flags & BIAS_ROWS ? 0 : 4;
  if (columns & 4) {
    if (bias) s0 = f32x4.add(s0, step ? v128.load(bias) : v128.load32_splat(bias));
    if (flags & ACCUMULATE) s0 = f32x4.add(s0, v128.load(c));
    if (flags & CLAMP) s0 = limited(s0, lo, hi);
    v128.store(c, s0);
    c += 16, s0 = s1;
    if (bias) bias += step << 2;
  }
  if (columns & 2) {
    let x = bias ? f32x4.add(s0, step ? v128.load64_zero(bias) : v128.load32_splat(bias)) : s0;
    if (flags & ACCUMULATE) x = f32x4.add(x, v128.load64_zero(c));
    if (flags & CLAMP) x = limited(x, lo, hi);
    v128.store64_lane(c, x, 0);
    c += 8, s0 = v128.shuffle<i32>(s0, s0, 2, 3, 2, 3);
    if (bias) bias += step << 1;
  }
  if (columns & 1) {
    if (bias) s0 = f32x4.add(s0, v128.load32_splat(bias));
    if (flags & ACCUMULATE) s0 = f32x4.add(s0, v128.load32_splat(c));
    if (flags & CLAMP) s0 = limited(s0, lo, hi);
    v128.store32_lane(c, s0, 0);
  }
}

/** As one number after the other is clamped: a zero takes the sign of a bound that is zero. */
@inline
function limited(x: v128, lo: v128, hi: v128): v128 {
  return f32x4.min(f32x4.max(x, lo), hi);
}

/**
 * C[rows, columns] from K steps of A and one panel; `lda` and `ldc` in bytes. `rows` is known at compile time.
 * Four rows make 8 accumulators, 2 vectors of B and 4 of A: what V8 holds in registers however it orders the loads. Six rows
 * make 12, 2 and 1: all registers of x86, for engines that load a row when it is needed; elsewhere registers are spilled, which
 * costs a third of the speed. 12 accumulators hide the latency of fused multiply-adds, two of which begin in a cycle and take
 * four; 8 are just enough if nothing is late. Eight steps of K are unrolled, to share pointer arithmetic: a processor issues six
 * instructions a cycle, four of which may multiply or add, so that every instruction which does neither costs. V8 hoists the
 * loads between two branches: the exit after each step keeps it from loading two steps at once, which would spill too.
 * After every `SEGMENT` steps it fetches `share` more bytes of what is read later, from `next` to `end`.
 */
@inline
export function tile(
  rows: i32, K: i32, a: usize, lda: usize, b: usize, c: usize, ldc: usize,
  columns: i32, bias: usize, flags: i32, lo: v128, hi: v128, next: usize, end: usize, share: usize,
): void {
  let a1 = a + lda, a2 = a1 + lda, a3 = a2 + lda, a4 = a3 + lda, a5 = a4 + lda;
  let s00 = f32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00;
  let s30 = s00, s31 = s00, s40 = s00, s41 = s00, s50 = s00, s51 = s00, b0 = s00, b1 = s00, x = s00;
  do {
    if (FETCHES) fetch(next, min(next + share, end)), next += share;
    for (let left = FETCHES ? min(K, SEGMENT) : K; left > 0; left -= 8, a += 32, a1 += 32, a2 += 32, a3 += 32, a4 += 32, a5 += 32, b += 256) {
      b0 = v128.load(b, 0); b1 = v128.load(b, 16);
      x = v128.load32_splat(a, 0); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 0); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 0); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 0); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 0); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 0); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 1) break;
      b0 = v128.load(b, 32); b1 = v128.load(b, 48);
      x = v128.load32_splat(a, 4); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 4); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 4); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 4); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 4); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 4); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 2) break;
      b0 = v128.load(b, 64); b1 = v128.load(b, 80);
      x = v128.load32_splat(a, 8); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 8); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 8); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 8); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 8); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 8); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 3) break;
      b0 = v128.load(b, 96); b1 = v128.load(b, 112);
      x = v128.load32_splat(a, 12); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 12); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 12); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 12); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 12); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 12); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 4) break;
      b0 = v128.load(b, 128); b1 = v128.load(b, 144);
      x = v128.load32_splat(a, 16); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 16); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 16); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 16); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 16); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 16); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 5) break;
      b0 = v128.load(b, 160); b1 = v128.load(b, 176);
      x = v128.load32_splat(a, 20); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 20); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 20); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 20); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 20); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 20); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 6) break;
      b0 = v128.load(b, 192); b1 = v128.load(b, 208);
      x = v128.load32_splat(a, 24); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 24); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 24); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 24); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 24); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 24); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
      if (left == 7) break;
      b0 = v128.load(b, 224); b1 = v128.load(b, 240);
      x = v128.load32_splat(a, 28); s00 = multiplyAdd(s00, x, b0); s01 = multiplyAdd(s01, x, b1);
      if (rows > 1) { x = v128.load32_splat(a1, 28); s10 = multiplyAdd(s10, x, b0); s11 = multiplyAdd(s11, x, b1); }
      if (rows > 2) { x = v128.load32_splat(a2, 28); s20 = multiplyAdd(s20, x, b0); s21 = multiplyAdd(s21, x, b1); }
      if (rows > 3) { x = v128.load32_splat(a3, 28); s30 = multiplyAdd(s30, x, b0); s31 = multiplyAdd(s31, x, b1); }
      if (rows > 4) { x = v128.load32_splat(a4, 28); s40 = multiplyAdd(s40, x, b0); s41 = multiplyAdd(s41, x, b1); }
      if (rows > 5) { x = v128.load32_splat(a5, 28); s50 = multiplyAdd(s50, x, b0); s51 = multiplyAdd(s51, x, b1); }
    }
    K -= SEGMENT;
  } while (FETCHES && K > 0);
  if (columns >= 8) {
    // Asked once for all rows: a branch costs as much as the addition behind it.
    if (bias) {
      if (flags & BIAS_ROWS) {
        x = v128.load32_splat(bias); s00 = f32x4.add(s00, x); s01 = f32x4.add(s01, x);
        if (rows > 1) { x = v128.load32_splat(bias, 4); s10 = f32x4.add(s10, x); s11 = f32x4.add(s11, x); }
        if (rows > 2) { x = v128.load32_splat(bias, 8); s20 = f32x4.add(s20, x); s21 = f32x4.add(s21, x); }
        if (rows > 3) { x = v128.load32_splat(bias, 12); s30 = f32x4.add(s30, x); s31 = f32x4.add(s31, x); }
        if (rows > 4) { x = v128.load32_splat(bias, 16); s40 = f32x4.add(s40, x); s41 = f32x4.add(s41, x); }
        if (rows > 5) { x = v128.load32_splat(bias, 20); s50 = f32x4.add(s50, x); s51 = f32x4.add(s51, x); }
      } else {
        b0 = v128.load(bias); b1 = v128.load(bias, 16);
        s00 = f32x4.add(s00, b0); s01 = f32x4.add(s01, b1);
        if (rows > 1) { s10 = f32x4.add(s10, b0); s11 = f32x4.add(s11, b1); }
        if (rows > 2) { s20 = f32x4.add(s20, b0); s21 = f32x4.add(s21, b1); }
        if (rows > 3) { s30 = f32x4.add(s30, b0); s31 = f32x4.add(s31, b1); }
        if (rows > 4) { s40 = f32x4.add(s40, b0); s41 = f32x4.add(s41, b1); }
        if (rows > 5) { s50 = f32x4.add(s50, b0); s51 = f32x4.add(s51, b1); }
      }
    }
    const c1 = c + ldc, c2 = c1 + ldc, c3 = c2 + ldc, c4 = c3 + ldc, c5 = c4 + ldc;
    if (flags & ACCUMULATE) {
      s00 = f32x4.add(s00, v128.load(c)); s01 = f32x4.add(s01, v128.load(c, 16));
      if (rows > 1) { s10 = f32x4.add(s10, v128.load(c1)); s11 = f32x4.add(s11, v128.load(c1, 16)); }
      if (rows > 2) { s20 = f32x4.add(s20, v128.load(c2)); s21 = f32x4.add(s21, v128.load(c2, 16)); }
      if (rows > 3) { s30 = f32x4.add(s30, v128.load(c3)); s31 = f32x4.add(s31, v128.load(c3, 16)); }
      if (rows > 4) { s40 = f32x4.add(s40, v128.load(c4)); s41 = f32x4.add(s41, v128.load(c4, 16)); }
      if (rows > 5) { s50 = f32x4.add(s50, v128.load(c5)); s51 = f32x4.add(s51, v128.load(c5, 16)); }
    }
    if (flags & CLAMP) {
      s00 = clamp(s00, lo, hi); s01 = clamp(s01, lo, hi);
      if (rows > 1) { s10 = clamp(s10, lo, hi); s11 = clamp(s11, lo, hi); }
      if (rows > 2) { s20 = clamp(s20, lo, hi); s21 = clamp(s21, lo, hi); }
      if (rows > 3) { s30 = clamp(s30, lo, hi); s31 = clamp(s31, lo, hi); }
      if (rows > 4) { s40 = clamp(s40, lo, hi); s41 = clamp(s41, lo, hi); }
      if (rows > 5) { s50 = clamp(s50, lo, hi); s51 = clamp(s51, lo, hi); }
    }
    v128.store(c, s00); v128.store(c, s01, 16);
    if (rows > 1) { v128.store(c1, s10); v128.store(c1, s11, 16); }
    if (rows > 2) { v128.store(c2, s20); v128.store(c2, s21, 16); }
    if (rows > 3) { v128.store(c3, s30); v128.store(c3, s31, 16); }
    if (rows > 4) { v128.store(c4, s40); v128.store(c4, s41, 16); }
    if (rows > 5) { v128.store(c5, s50); v128.store(c5, s51, 16); }
    return;
  }
  const step: usize = bias && flags & BIAS_ROWS ? 4 : 0;
  finishTail(c, s00, s01, columns, bias, flags, lo, hi);
  if (rows > 1) { c += ldc; bias += step; finishTail(c, s10, s11, columns, bias, flags, lo, hi); }
  if (rows > 2) { c += ldc; bias += step; finishTail(c, s20, s21, columns, bias, flags, lo, hi); }
  if (rows > 3) { c += ldc; bias += step; finishTail(c, s30, s31, columns, bias, flags, lo, hi); }
  if (rows > 4) { c += ldc; bias += step; finishTail(c, s40, s41, columns, bias, flags, lo, hi); }
  if (rows > 5) { c += ldc; bias += step; finishTail(c, s50, s51, columns, bias, flags, lo, hi); }
}

/** Finishes one row of a panel. */
export function finishRow(c: usize, s0: v128, s1: v128, columns: i32, bias: usize, flags: i32, lo: v128, hi: v128): void {
  if (columns < 8) {
    if (columns > 0) finishTail(c, s0, s1, columns, bias, flags, lo, hi);
    return;
  }
  if (bias) {
    const perRow = flags & BIAS_ROWS;
    s0 = f32x4.add(s0, perRow ? v128.load32_splat(bias) : v128.load(bias));
    s1 = f32x4.add(s1, perRow ? v128.load32_splat(bias) : v128.load(bias, 16));
  }
  if (flags & ACCUMULATE) s0 = f32x4.add(s0, v128.load(c)), s1 = f32x4.add(s1, v128.load(c, 16));
  if (flags & CLAMP) s0 = clamp(s0, lo, hi), s1 = clamp(s1, lo, hi);
  v128.store(c, s0);
  v128.store(c, s1, 16);
}

/**
 * One row against up to four panels, each `quarter` panels behind the one before, which begin quarters of all panels. A row waits
 * for memory, and a processor fetches most of it from several places at once, each of which is read from end to end. Of fewer
 * panels the first one is read again.
 */
export function tileRow(
  K: i32, a: usize, b0: usize, quarter: i32, panelBytes: usize, c: usize,
  columns: i32, bias: usize, flags: i32, lo: v128, hi: v128,
): void {
  let s0 = f32x4.splat(0), s1 = s0, t0 = s0, t1 = s0, u0 = s0, u1 = s0, v0 = s0, v1 = s0;
  const far = <usize>quarter * panelBytes, width = quarter << 3, wide = <usize>quarter << 5;
  let b1 = columns > width ? b0 + far : b0;
  let b2 = columns > 2 * width ? b1 + far : b0;
  let b3 = columns > 3 * width ? b2 + far : b0;
  const end = b0 + (<usize>K << 5);
  for (; b0 < end; b0 += 32, b1 += 32, b2 += 32, b3 += 32, a += 4) {
    const x = v128.load32_splat(a);
    s0 = multiplyAdd(s0, x, v128.load(b0));
    s1 = multiplyAdd(s1, x, v128.load(b0, 16));
    t0 = multiplyAdd(t0, x, v128.load(b1));
    t1 = multiplyAdd(t1, x, v128.load(b1, 16));
    u0 = multiplyAdd(u0, x, v128.load(b2));
    u1 = multiplyAdd(u1, x, v128.load(b2, 16));
    v0 = multiplyAdd(v0, x, v128.load(b3));
    v1 = multiplyAdd(v1, x, v128.load(b3, 16));
  }
  const step: usize = bias && !(flags & BIAS_ROWS) ? wide : 0;
  finishRow(c, s0, s1, columns, bias, flags, lo, hi);
  finishRow(c + wide, t0, t1, columns - width, bias + step, flags, lo, hi);
  finishRow(c + 2 * wide, u0, u1, columns - 2 * width, bias + 2 * step, flags, lo, hi);
  finishRow(c + 3 * wide, v0, v1, columns - 3 * width, bias + 3 * step, flags, lo, hi);
}
