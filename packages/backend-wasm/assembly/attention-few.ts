// Attention of a few rows of Q. Keys and values are read where they lie: to pack them would take longer than all products.
import { loadTail, storeTail } from "./lanes";
import { multiplyAdd } from "./multiply-add";
import { FETCHES, fetch } from "./prefetch";

/** Keys over which all rows pass before the next ones: 16 kB of 64 features each stay in the first cache. */
export const KEYS: i32 = 64;

/** scores[L,S] = q[L,E] · k[S,E]ᵀ. Rows of Q and K are contiguous, and so many floats apart; those of the scores are dense. */
export function scoresOfFew(
  q: usize, qRow: i32, k: usize, kRow: i32, scores: usize, L: i32, S: i32, E: i32,
): void {
  const qBytes = <usize>qRow << 2, kBytes = <usize>kRow << 2, rowBytes = <usize>S << 2;
  for (let left = S; left > 0; left -= KEYS, k += KEYS * kBytes, scores += KEYS << 2) {
    scoresOfKeys(FLOAT32, q, qBytes, k, kBytes, scores, rowBytes, L, min(left, KEYS), E);
  }
}

/** What keys and values are: finite float16 take fewer steps than any. */
export const FLOAT32: i32 = 0;
export const BFLOAT16: i32 = 1;
export const FINITE_FLOAT16: i32 = 2;

/** Four elements of a key or value. `kind` is known at compile time, here and below. */
@inline
function elements(kind: i32, at: usize): v128 {
  if (kind == FLOAT32) return v128.load(at);
  if (kind == BFLOAT16) return i32x4.shl(v128.load16x4_u(at), 16);
  // Multiplying by 2^112 moves the exponent to its new bias and normalizes what was denormal.
  const bits = v128.and(i32x4.shl(v128.load16x4_s(at), 13), i32x4.splat(0x8fffe000));
  return f32x4.mul(bits, i32x4.splat(0x77800000));
}

/** All rows of Q against some keys; strides in bytes. In half precision a row has a multiple of four. */
@inline
export function scoresOfKeys(
  kind: i32, q: usize, qRow: usize, k: usize, kRow: usize, to: usize, toRow: usize, L: i32, keys: i32, E: i32,
): void {
  let i = 0;
  for (; i + 1 < L; i += 2, q += 2 * qRow, to += 2 * toRow) dots(kind, 2, q, qRow, k, kRow, to, toRow, keys, E);
  if (i < L) dots(kind, 1, q, 0, k, kRow, to, 0, keys, E);
}

/** The products of one or two rows of Q, known at compile time, and of two keys at a time; strides in bytes. */
@inline
function dots(
  kind: i32, rows: i32, q: usize, qRow: usize, k: usize, kRow: usize, to: usize, toRow: usize, keys: i32, E: i32,
): void {
  const zero = f32x4.splat(0), tail = kind == FLOAT32 ? E & 3 : 0;
  const end = q + (<usize>(E & ~3) << 2), step = kind == FLOAT32 ? 16 : 8;
  for (let j = 0; j < keys; j += 2, k += 2 * kRow, to += 8) {
    // Of an odd number of keys the last one is read twice.
    const isPair = j + 1 < keys;
    let s0 = zero, s1 = zero, t0 = zero, t1 = zero, x = zero;
    let at = q, k0 = k, k1 = isPair ? k + kRow : k;
    for (; at < end; at += 16, k0 += step, k1 += step) {
      const y0 = elements(kind, k0), y1 = elements(kind, k1);
      x = v128.load(at); s0 = multiplyAdd(s0, x, y0); s1 = multiplyAdd(s1, x, y1);
      if (rows > 1) { x = v128.load(at + qRow); t0 = multiplyAdd(t0, x, y0); t1 = multiplyAdd(t1, x, y1); }
    }
    if (tail) {
      const y0 = loadTail(k0, tail, zero), y1 = loadTail(k1, tail, zero);
      x = loadTail(at, tail, zero); s0 = multiplyAdd(s0, x, y0); s1 = multiplyAdd(s1, x, y1);
      if (rows > 1) { x = loadTail(at + qRow, tail, zero); t0 = multiplyAdd(t0, x, y0); t1 = multiplyAdd(t1, x, y1); }
    }
    storeSums(to, s0, s1, isPair);
    if (rows > 1) storeSums(to + toRow, t0, t1, isPair);
  }
}

/** Stores the sum of the lanes of `a`, and that of `b` behind it, if there is one. */
@inline
function storeSums(to: usize, a: v128, b: v128, isPair: bool): void {
  const halves = f32x4.add(v128.shuffle<i32>(a, b, 0, 1, 4, 5), v128.shuffle<i32>(a, b, 2, 3, 6, 7));
  const sums = f32x4.add(v128.shuffle<i32>(halves, halves, 0, 2, 0, 2), v128.shuffle<i32>(halves, halves, 1, 3, 1, 3));
  if (isPair) v128.store_lane<i64>(to, sums, 0);
  else v128.store_lane<f32>(to, sums, 0);
}

/** out[L,Ev] = weights[L,S] · v[S,Ev]. Rows of V and `out` are contiguous, and so many floats apart; those of the weights are dense. */
export function mixFew(w: usize, v: usize, vRow: i32, out: usize, outRow: i32, L: i32, S: i32, Ev: i32): void {
  const vBytes = <usize>vRow << 2, outBytes = <usize>outRow << 2, rowBytes = <usize>S << 2;
  let left = S, adds = false;
  // Without keys there are zeros.
  do {
    mixValues(FLOAT32, w, rowBytes, v, vBytes, out, outBytes, L, min(left, KEYS), Ev, adds);
    left -= KEYS, v += KEYS * vBytes, w += KEYS << 2, adds = true;
  } while (left > 0);
}

/** All rows of weights against the values of some keys; strides in bytes. In half precision a row has a multiple of four. */
@inline
export function mixValues(
  kind: i32, w: usize, wRow: usize, v: usize, vRow: usize, to: usize, toRow: usize, L: i32, keys: i32, Ev: i32, adds: bool,
): void {
  let i = 0;
  if (FETCHES) fetch(v, v + <usize>keys * vRow);
  for (; i + 1 < L; i += 2, w += 2 * wRow, to += 2 * toRow) mix(kind, 2, w, wRow, v, vRow, to, toRow, keys, Ev, adds);
  if (i < L) mix(kind, 1, w, 0, v, vRow, to, 0, keys, Ev, adds);
}

/** One or two rows of weights against the values of some keys, 16 features at a time, then 4, then those left. */
@inline
function mix(
  kind: i32, rows: i32, w: usize, wRow: usize, v: usize, vRow: usize, to: usize, toRow: usize, keys: i32, Ev: i32, adds: bool,
): void {
  const zero = f32x4.splat(0), end = w + (<usize>keys << 2), step = kind == FLOAT32 ? 16 : 8;
  let left = Ev;
  for (; left >= 16; left -= 16, v += 4 * step, to += 64) {
    let s0 = zero, s1 = zero, s2 = zero, s3 = zero, t0 = zero, t1 = zero, t2 = zero, t3 = zero;
    for (let at = w, p = v; at < end; at += 4, p += vRow) {
      const x = v128.load32_splat(at);
      let y = zero;
      if (rows > 1) y = v128.load32_splat(at + wRow);
      let z = elements(kind, p); s0 = multiplyAdd(s0, x, z); if (rows > 1) t0 = multiplyAdd(t0, y, z);
      z = elements(kind, p + step); s1 = multiplyAdd(s1, x, z); if (rows > 1) t1 = multiplyAdd(t1, y, z);
      z = elements(kind, p + 2 * step); s2 = multiplyAdd(s2, x, z); if (rows > 1) t2 = multiplyAdd(t2, y, z);
      z = elements(kind, p + 3 * step); s3 = multiplyAdd(s3, x, z); if (rows > 1) t3 = multiplyAdd(t3, y, z);
    }
    keep(to, s0, adds); keep(to + 16, s1, adds); keep(to + 32, s2, adds); keep(to + 48, s3, adds);
    if (rows > 1) { keep(to + toRow, t0, adds); keep(to + toRow + 16, t1, adds); keep(to + toRow + 32, t2, adds); keep(to + toRow + 48, t3, adds); }
  }
  for (; left > 0; left -= 4, v += step, to += 16) {
    let s = zero, t = zero;
    for (let at = w, p = v; at < end; at += 4, p += vRow) {
      const z = kind == FLOAT32 && left < 4 ? loadTail(p, left, zero) : elements(kind, p);
      s = multiplyAdd(s, v128.load32_splat(at), z);
      if (rows > 1) t = multiplyAdd(t, v128.load32_splat(at + wRow), z);
    }
    keepSome(to, s, left, adds);
    if (rows > 1) keepSome(to + toRow, t, left, adds);
  }
}

/** Stores sums, or adds them to what is there. */
@inline
function keep(to: usize, sums: v128, adds: bool): void {
  v128.store(to, adds ? f32x4.add(sums, v128.load(to)) : sums);
}

/** As `keep`, for the first `count` of four lanes if there are not more. */
function keepSome(to: usize, sums: v128, count: i32, adds: bool): void {
  if (count >= 4) keep(to, sums, adds);
  else storeTail(to, adds ? f32x4.add(sums, loadTail(to, count, f32x4.splat(0))) : sums, count);
}
