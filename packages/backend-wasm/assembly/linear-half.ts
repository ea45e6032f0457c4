// linear(input[M,K], weight) + bias, the weight float16 or bfloat16 in memory: panels of 8 columns, in which pairs along K are
// neighbors, so that they are packed as float32 of half the steps are. K is even.
import { PANEL } from "./gemm-pack";
import { finishRow } from "./gemm-tile";
import { multiplyAdd } from "./multiply-add";
import { fetch } from "./prefetch";
import { decodeHalves } from "./small-floats";

/** What the halves of a weight are: float16 of which some are infinite or NaN is slower to read. */
const BFLOAT16: i32 = 0;
const FINITE: i32 = 1;
const ANY: i32 = 2;

/** Bytes of a weight that are fetched at once, before they are made floats: that takes longer than memory should wait. */
const BURST: usize = 16384;

/** The first halves of four pairs. `kind` is known at compile time. */
@inline
function firsts(kind: i32, pairs: v128): v128 {
  if (kind == BFLOAT16) return i32x4.shl(pairs, 16);
  if (kind == FINITE) return finite(i32x4.shl(pairs, 16));
  return decodeHalves(v128.and(pairs, i32x4.splat(0xffff)), false);
}

/** The second ones. */
@inline
function seconds(kind: i32, pairs: v128): v128 {
  if (kind == BFLOAT16) return v128.and(pairs, i32x4.splat(-65536));
  return kind == FINITE ? finite(pairs) : decodeHalves(i32x4.shr_u(pairs, 16), false);
}

/** The numbers of finite float16 in the upper halves of lanes, times 2^-112: their exponents keep their bias. */
@inline
function finite(bits: v128): v128 {
  return v128.and(i32x4.shr_s(bits, 3), i32x4.splat(0x8fffe000));
}

/** What makes up for that: `x * factor`, where halves are finite float16. */
@inline
function times(kind: i32, x: v128, factor: f32): v128 {
  return kind == FINITE ? f32x4.mul(x, f32x4.splat(factor)) : x;
}

/** Inputs are multiplied by 2^48 and sums by 2^64, so that no input below 2^80 overflows on the way. */
const OF_INPUT: f32 = 281474976710656.0, OF_SUM: f32 = 18446744073709551616.0;
const WHOLE: f32 = OF_INPUT * OF_SUM;

/**
 * One row against up to four panels, as `tileRow` reads them: each `quarter` panels behind the one before. `kind` is known at
 * compile time.
 */
@inline
function row(
  kind: i32, K: i32, a: usize, b0: usize, quarter: i32, c: usize, columns: i32, bias: usize, flags: i32, lo: v128, hi: v128,
): void {
  let s0 = f32x4.splat(0), s1 = s0, t0 = s0, t1 = s0, u0 = s0, u1 = s0, v0 = s0, v1 = s0;
  const far = (<usize>quarter * <usize>K) << 4, width = quarter << 3, wide = <usize>quarter << 5;
  let b1 = columns > width ? b0 + far : b0;
  let b2 = columns > 2 * width ? b1 + far : b0;
  let b3 = columns > 3 * width ? b2 + far : b0;
  const end = b0 + (<usize>K << 4);
  for (; b0 < end; b0 += 32, b1 += 32, b2 += 32, b3 += 32, a += 8) {
    const x = times(kind, v128.load32_splat(a), OF_INPUT), y = times(kind, v128.load32_splat(a, 4), OF_INPUT);
    let p = v128.load(b0), q = v128.load(b0, 16);
    s0 = multiplyAdd(multiplyAdd(s0, x, firsts(kind, p)), y, seconds(kind, p));
    s1 = multiplyAdd(multiplyAdd(s1, x, firsts(kind, q)), y, seconds(kind, q));
    p = v128.load(b1), q = v128.load(b1, 16);
    t0 = multiplyAdd(multiplyAdd(t0, x, firsts(kind, p)), y, seconds(kind, p));
    t1 = multiplyAdd(multiplyAdd(t1, x, firsts(kind, q)), y, seconds(kind, q));
    p = v128.load(b2), q = v128.load(b2, 16);
    u0 = multiplyAdd(multiplyAdd(u0, x, firsts(kind, p)), y, seconds(kind, p));
    u1 = multiplyAdd(multiplyAdd(u1, x, firsts(kind, q)), y, seconds(kind, q));
    p = v128.load(b3), q = v128.load(b3, 16);
    v0 = multiplyAdd(multiplyAdd(v0, x, firsts(kind, p)), y, seconds(kind, p));
    v1 = multiplyAdd(multiplyAdd(v1, x, firsts(kind, q)), y, seconds(kind, q));
  }
  const step = bias ? wide : 0;
  finishRow(c, times(kind, s0, OF_SUM), times(kind, s1, OF_SUM), columns, bias, flags, lo, hi);
  finishRow(c + wide, times(kind, t0, OF_SUM), times(kind, t1, OF_SUM), columns - width, bias + step, flags, lo, hi);
  finishRow(c + 2 * wide, times(kind, u0, OF_SUM), times(kind, u1, OF_SUM), columns - 2 * width, bias + 2 * step, flags, lo, hi);
  finishRow(c + 3 * wide, times(kind, v0, OF_SUM), times(kind, v1, OF_SUM), columns - 3 * width, bias + 3 * step, flags, lo, hi);
}

/**
 * Few rows, which read the weight themselves. `kind`: 0 bfloat16, 1 float16 of which all are finite, 2 any. `lda` and `ldc` count
 * elements; `bias` may be 0; `flags`, `lo` and `hi` are those of `gemmPacked`.
 */
export function halfRows(
  kind: i32, M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, bias: usize, flags: i32, low: f32, high: f32,
): void {
  if (kind == BFLOAT16) brainRows(M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
  else if (kind == FINITE) finiteRows(M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
  else anyRows(M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
}

// A function each: what one function does for several kinds Binaryen makes one loop of, with conditions inside.
function brainRows(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, bias: usize, flags: i32, low: f32, high: f32,
): void {
  rowsOf(BFLOAT16, M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
}

function finiteRows(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, bias: usize, flags: i32, low: f32, high: f32,
): void {
  rowsOf(FINITE, M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
}

function anyRows(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, bias: usize, flags: i32, low: f32, high: f32,
): void {
  rowsOf(ANY, M, N, K, a, lda, b, c, ldc, bias, flags, low, high);
}

@inline
function rowsOf(
  kind: i32, M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, bias: usize, flags: i32, low: f32, high: f32,
): void {
  const lo = f32x4.splat(low), hi = f32x4.splat(high);
  const quarter = ((N + PANEL - 1) / PANEL + 3) >> 2;
  for (let n = 0; n < quarter; n++, b += <usize>K << 4, c += 4 * PANEL) {
    const columns = N - n * PANEL;
    for (let m = 0; m < M; m++) {
      row(kind, K, a + ((<usize>m * <usize>lda) << 2), b, quarter, c + ((<usize>m * <usize>ldc) << 2), columns, bias, flags, lo, hi);
    }
    if (bias) bias += 4 * PANEL;
  }
}

/** Writes `bytes` of panels as floats, as `gemmPackB` packs them. */
export function halfFloats(kind: i32, b: usize, bytes: usize, to: usize): void {
  for (const end = b + bytes; b < end; b += BURST, to += 2 * BURST) {
    const stop = min(b + BURST, end);
    fetch(b, stop);
    if (kind == BFLOAT16) brainFloats(b, stop, to);
    else if (kind == FINITE) finiteFloats(b, stop, to);
    else anyFloats(b, stop, to);
  }
}

function brainFloats(b: usize, end: usize, to: usize): void {
  floats(BFLOAT16, b, end, to);
}

function finiteFloats(b: usize, end: usize, to: usize): void {
  floats(FINITE, b, end, to);
}

function anyFloats(b: usize, end: usize, to: usize): void {
  floats(ANY, b, end, to);
}

@inline
function floats(kind: i32, b: usize, end: usize, to: usize): void {
  for (; b < end; b += 32, to += 64) {
    const p = v128.load(b), q = v128.load(b, 16);
    v128.store(to, times(kind, firsts(kind, p), WHOLE));
    v128.store(to, times(kind, firsts(kind, q), WHOLE), 16);
    v128.store(to, times(kind, seconds(kind, p), WHOLE), 32);
    v128.store(to, times(kind, seconds(kind, q), WHOLE), 48);
  }
}

/** Whether all float16 of a packed weight are finite. */
export function halfIsFinite(b: usize, bytes: usize): i32 {
  return i32(areFinite(b, bytes));
}

/** Whether all float16 in a multiple of 8 bytes are finite. */
@inline
export function areFinite(at: usize, bytes: usize): bool {
  const exponent = i16x8.splat(0x7c00);
  let found = i32x4.splat(0);
  const end = at + bytes, whole = at + (bytes & ~15);
  for (; at < whole; at += 16) found = v128.or(found, i16x8.eq(v128.and(v128.load(at), exponent), exponent));
  if (at < end) found = v128.or(found, i16x8.eq(v128.and(v128.load64_zero(at), exponent), exponent));
  return !v128.any_true(found);
}
