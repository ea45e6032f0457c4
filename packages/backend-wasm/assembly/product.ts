// C[M,N] = A[M,K] · B[K,N] of float64 and of integers, which float32's tile does not compute. C wraps around, as PyTorch's does.
import { productPanel } from "./product-pack";

/** Stores the first `bytes`, 4 to 32, of two vectors. */
@inline
export function storePart(c: usize, s0: v128, s1: v128, bytes: usize): void {
  if (bytes >= 16) {
    v128.store(c, s0);
    if (bytes == 32) v128.store(c, s1, 16);
    s0 = s1, c += 16, bytes &= 15;
  }
  if (bytes >= 8) {
    v128.store64_lane(c, s0, 0);
    s0 = v128.shuffle<i64>(s0, s0, 1, 0), c += 8;
  }
  if (bytes & 4) v128.store32_lane(c, s0, 0);
}

/** sum + x * y. Of int8 there are pairs of neighbors along K, as int16, whose products are added up. */
@inline
function add<T>(sum: v128, x: v128, y: v128): v128 {
  return sizeof<T>() == 1 ? i32x4.add(sum, i32x4.dot_i16x8_s(x, y)) : v128.add<T>(sum, v128.mul<T>(x, y));
}

@inline
function load<T>(b: usize): v128 {
  return sizeof<T>() == 1 ? v128.load8x8_s(b) : v128.load(b);
}

/** An element of A, or a pair, in all lanes. */
@inline
function loadSplat<T>(a: usize): v128 {
  return sizeof<T>() == 8 ? v128.load64_splat(a) : v128.load32_splat(a);
}

/** One row or four of A against a panel; `lda` and `ldc` in bytes, `bytes` what a row of the panel has of C. */
@inline
function tile<T>(rows: i32, a: usize, lda: usize, b: usize, end: usize, c: usize, ldc: usize, bytes: usize): void {
  const half: usize = sizeof<T>() == 1 ? 8 : 16;
  const next: usize = sizeof<T>() == 1 ? 4 : sizeof<T>();
  const a1 = a + lda, a2 = a1 + lda, a3 = a2 + lda;
  let s00 = i32x4.splat(0), s01 = s00, s10 = s00, s11 = s00, s20 = s00, s21 = s00, s30 = s00, s31 = s00;
  for (let k: usize = 0; b < end; b += 2 * half, k += next) {
    const b0 = load<T>(b), b1 = load<T>(b + half);
    let x = loadSplat<T>(a + k);
    s00 = add<T>(s00, x, b0), s01 = add<T>(s01, x, b1);
    if (rows > 1) {
      x = loadSplat<T>(a1 + k), s10 = add<T>(s10, x, b0), s11 = add<T>(s11, x, b1);
      x = loadSplat<T>(a2 + k), s20 = add<T>(s20, x, b0), s21 = add<T>(s21, x, b1);
      x = loadSplat<T>(a3 + k), s30 = add<T>(s30, x, b0), s31 = add<T>(s31, x, b1);
    }
  }
  storePart(c, s00, s01, bytes);
  if (rows > 1) {
    c += ldc, storePart(c, s10, s11, bytes);
    c += ldc, storePart(c, s20, s21, bytes);
    c += ldc, storePart(c, s30, s31, bytes);
  }
}

/** `panelBytes` is what a panel of B has; `lda` and `ldc` in bytes. */
@inline
function product<T>(M: i32, N: i32, a: usize, lda: usize, b: usize, panelBytes: usize, c: usize, ldc: usize): void {
  const size: usize = sizeof<T>() == 8 ? 8 : 4;
  for (let left = <usize>N * size; left > 0; c += 32) {
    const bytes = min<usize>(left, 32), end = b + panelBytes;
    let am = a, cm = c, rows = M;
    for (; rows >= 4; rows -= 4, am += 4 * lda, cm += 4 * ldc) tile<T>(4, am, lda, b, end, cm, ldc, bytes);
    for (; rows > 0; rows--, am += lda, cm += ldc) tile<T>(1, am, lda, b, end, cm, ldc, bytes);
    b = end, left -= bytes;
  }
}

/** B is packed by `productPack8`; `lda` and `ldc` count elements. */
export function productFloat64(M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32): void {
  product<f64>(M, N, a, <usize>lda << 3, b, productPanel(K, 8), c, <usize>ldc << 3);
}

/** As `productFloat64`, of integers of any length. */
export function productLong(M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32): void {
  product<i64>(M, N, a, <usize>lda << 3, b, productPanel(K, 8), c, <usize>ldc << 3);
}

/** As `productFloat64`, B packed by `gemmPackB`. */
export function productInt32(M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32): void {
  product<i32>(M, N, a, <usize>lda << 2, b, productPanel(K, 4), c, <usize>ldc << 2);
}

/** A as `productWiden` leaves it, B packed by `productPack1`, both int8; C in int32. `lda` counts elements of 16 bits. */
export function productInt8(M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32): void {
  product<i8>(M, N, a, <usize>lda << 1, b, productPanel(K, 1), c, <usize>ldc << 2);
}
