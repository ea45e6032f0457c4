// Softmax over a dimension that others follow: columns side by side, each with the sums that `softmaxRows` has.
import { expNegative, log } from "./math";

/** Columns that are read together: what is read of a row are some cache lines. */
@inline
const COLUMNS: i32 = 64;

/** Bytes of a number for each of these columns. */
@inline
const LINE: usize = 256;

/** Bytes that `softmaxColumns` uses at `scratch` for columns of `n` floats: the largest of each, sums, and all elements. */
export function softmaxScratch(n: i32): u32 {
  return <u32>LINE * (9 + n);
}

/**
 * Softmax, or its logarithm where `isLog`, of `count` columns of `n` floats each, at least four, whose rows are `next` bytes apart. `dst`
 * lies as `src` does, and elsewhere. There are at most 1024 rows, which `softmaxRows` sums in single precision.
 */
export function softmaxColumns(src: usize, dst: usize, n: i32, next: i32, count: i32, isLog: i32, scratch: usize): void {
  while (count > 0) {
    // The last columns are computed with some before them once more.
    const back = <usize>max(4 - count, 0) << 2;
    const width = max(4, min(COLUMNS, count & ~3));
    columns(src - back, dst - back, n, next, <usize>width << 2, isLog, scratch);
    count -= width, src += <usize>width << 2, dst += <usize>width << 2;
  }
}

function columns(src: usize, dst: usize, n: i32, next: i32, bytes: usize, isLog: i32, most: usize): void {
  const sums = most + LINE, values = sums + 8 * LINE, end = most + bytes;
  for (let p = most; p < end; p += 16) v128.store(p, f32x4.splat(-Infinity));
  memory.fill(sums, 0, 8 * LINE);
  // A NaN is lost here, but not in the sum.
  for (let row = 0, from = src; row < n; row++, from += next) {
    for (let p = most, q = from; p < end; p += 16, q += 16) v128.store(p, f32x4.pmax(v128.load(p), v128.load(q)));
  }
  for (let row = 0, from = src, to = values; row < n; row++, from += next, to += LINE) {
    // Of each four rows in turn one goes to each of four sums, and the last ones, fewer than four, to others.
    const sum = sums + <usize>((row & 3) + (row < (n & ~3) ? 0 : 4)) * LINE;
    for (let at: usize = 0; at < bytes; at += 16) {
      const x = f32x4.sub(v128.load(from + at), v128.load(most + at));
      const y = expNegative(x);
      v128.store(to + at, isLog ? x : y);
      v128.store(sum + at, f32x4.add(v128.load(sum + at), y));
    }
  }
  for (let at: usize = 0; at < bytes; at += 16) {
    const first = sums + at, last = first + 4 * LINE;
    const low = f64x2.add(lowSum(first, 0), lowSum(last, 0)), high = f64x2.add(lowSum(first, 8), lowSum(last, 8));
    if (isLog) v128.store(most + at, log(floatsOf(low, high)));
    else v128.store(most + at, floatsOf(f64x2.div(f64x2.splat(1), low), f64x2.div(f64x2.splat(1), high)));
  }
  for (let row = 0, from = values, to = dst; row < n; row++, from += LINE, to += next) {
    for (let at: usize = 0; at < bytes; at += 16) {
      const x = v128.load(from + at), y = v128.load(most + at);
      v128.store(to + at, isLog ? f32x4.sub(x, y) : f32x4.mul(x, y));
    }
  }
}

/** (a + c) + (b + d) of two columns of four sums: the order in which `sumLanes` adds. */
@inline
function lowSum(p: usize, skipped: usize): v128 {
  p += skipped;
  const a = f64x2.promote_low_f32x4(v128.load64_zero(p)), b = f64x2.promote_low_f32x4(v128.load64_zero(p + LINE));
  const c = f64x2.promote_low_f32x4(v128.load64_zero(p + 2 * LINE)), d = f64x2.promote_low_f32x4(v128.load64_zero(p + 3 * LINE));
  return f64x2.add(f64x2.add(a, c), f64x2.add(b, d));
}

@inline
function floatsOf(low: v128, high: v128): v128 {
  return v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(high), 0, 2);
}
