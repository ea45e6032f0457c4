// Attention of a few rows of Q. Keys and values are read where they lie: to pack them would take longer than all products.
import { loadTail, storeTail } from "./lanes";
import { multiplyAdd } from "./multiply-add";

/** Keys over which all rows pass before the next ones: 16 kB of 64 features each stay in the first cache. */
const KEYS: i32 = 64;

/** scores[L,S] = q[L,E] · k[S,E]ᵀ. Rows of Q and K are contiguous, and so many floats apart; those of the scores are dense. */
export function scoresOfFew(
  q: usize, qRow: i32, k: usize, kRow: i32, scores: usize, L: i32, S: i32, E: i32,
): void {
  const qBytes = <usize>qRow << 2, kBytes = <usize>kRow << 2, rowBytes = <usize>S << 2;
  for (let left = S; left > 0; left -= KEYS, k += KEYS * kBytes, scores += KEYS << 2) {
    const keys = min(left, KEYS);
    let at = q, to = scores, i = 0;
    for (; i + 1 < L; i += 2, at += 2 * qBytes, to += 2 * rowBytes) dots(2, at, qBytes, k, kBytes, to, rowBytes, keys, E);
    if (i < L) dots(1, at, 0, k, kBytes, to, 0, keys, E);
  }
}

/** The products of one or two rows of Q, known at compile time, and of two keys at a time; strides in bytes. */
@inline
function dots(
  rows: i32, q: usize, qRow: usize, k: usize, kRow: usize, to: usize, toRow: usize, keys: i32, E: i32,
): void {
  const zero = f32x4.splat(0), tail = E & 3;
  const end = q + (<usize>(E & ~3) << 2);
  for (let j = 0; j < keys; j += 2, k += 2 * kRow, to += 8) {
    // Of an odd number of keys the last one is read twice.
    const isPair = j + 1 < keys;
    let s0 = zero, s1 = zero, t0 = zero, t1 = zero, x = zero;
    let at = q, k0 = k, k1 = isPair ? k + kRow : k;
    for (; at < end; at += 16, k0 += 16, k1 += 16) {
      const y0 = v128.load(k0), y1 = v128.load(k1);
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
    const keys = min(left, KEYS);
    let from = w, to = out, i = 0;
    for (; i + 1 < L; i += 2, from += 2 * rowBytes, to += 2 * outBytes) mix(2, from, rowBytes, v, vBytes, to, outBytes, keys, Ev, adds);
    if (i < L) mix(1, from, 0, v, vBytes, to, 0, keys, Ev, adds);
    left -= KEYS, v += KEYS * vBytes, w += KEYS << 2, adds = true;
  } while (left > 0);
}

/** One or two rows of weights against the values of some keys, 16 features at a time, then 4, then those left. */
@inline
function mix(
  rows: i32, w: usize, wRow: usize, v: usize, vRow: usize, to: usize, toRow: usize, keys: i32, Ev: i32, adds: bool,
): void {
  const zero = f32x4.splat(0), end = w + (<usize>keys << 2);
  let left = Ev;
  for (; left >= 16; left -= 16, v += 64, to += 64) {
    let s0 = zero, s1 = zero, s2 = zero, s3 = zero, t0 = zero, t1 = zero, t2 = zero, t3 = zero;
    for (let at = w, p = v; at < end; at += 4, p += vRow) {
      const x = v128.load32_splat(at);
      let y = zero;
      if (rows > 1) y = v128.load32_splat(at + wRow);
      let z = v128.load(p); s0 = multiplyAdd(s0, x, z); if (rows > 1) t0 = multiplyAdd(t0, y, z);
      z = v128.load(p, 16); s1 = multiplyAdd(s1, x, z); if (rows > 1) t1 = multiplyAdd(t1, y, z);
      z = v128.load(p, 32); s2 = multiplyAdd(s2, x, z); if (rows > 1) t2 = multiplyAdd(t2, y, z);
      z = v128.load(p, 48); s3 = multiplyAdd(s3, x, z); if (rows > 1) t3 = multiplyAdd(t3, y, z);
    }
    keep(to, s0, adds); keep(to + 16, s1, adds); keep(to + 32, s2, adds); keep(to + 48, s3, adds);
    if (rows > 1) { keep(to + toRow, t0, adds); keep(to + toRow + 16, t1, adds); keep(to + toRow + 32, t2, adds); keep(to + toRow + 48, t3, adds); }
  }
  for (; left > 0; left -= 4, v += 16, to += 16) {
    let s = zero, t = zero;
    for (let at = w, p = v; at < end; at += 4, p += vRow) {
      const z = left < 4 ? loadTail(p, left, zero) : v128.load(p);
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
