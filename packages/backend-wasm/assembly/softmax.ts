// Softmax over contiguous rows. A row with a NaN, with +infinity, or with nothing but -infinity becomes NaN.
import { rowMax } from "./extremes";
import { loadTail, storeTail, sumLanes } from "./lanes";
import { expNegative, log } from "./math";

/** Floats that are summed in single precision before the sum goes on in double. */
const SUM_BLOCK: i32 = 1024;

/** Each of `rows` rows of `n` floats; `dst` may be `src`. */
export function softmaxRows(src: usize, dst: usize, rows: i32, n: i32): void {
  const bytes = <usize>n << 2;
  for (let row = 0; row < rows; row++, src += bytes, dst += bytes) {
    softmaxRow(src, dst, n, rowMax(src, n));
  }
}

/** x - max - log(sum(exp(x - max))) for each row; `dst` may be `src`. */
export function logSoftmaxRows(src: usize, dst: usize, rows: i32, n: i32): void {
  const bytes = <usize>n << 2;
  for (let row = 0; row < rows; row++, src += bytes, dst += bytes) {
    const max = rowMax(src, n);
    const logSum = f32x4.extract_lane(log(f32x4.splat(<f32>expSum(src, n, max))), 0);
    shiftRow(src, dst, n, max, logSum);
  }
}

/** Softmax of a row whose largest element is `max`. */
export function softmaxRow(src: usize, dst: usize, n: i32, max: f32): void {
  scaleRow(dst, n, <f32>(1 / exponentials(true, src, dst, n, max)));
}

function expSum(src: usize, n: i32, max: f32): f64 {
  return exponentials(false, src, 0, n, max);
}

/** The sum of exp(x - max), whose terms go to `dst` when `keep`. */
@inline
function exponentials(keep: bool, src: usize, dst: usize, n: i32, max: f32): f64 {
  const shift = f32x4.splat(max);
  let total: f64 = 0;
  for (; n >= 4; ) {
    const block = min(n, SUM_BLOCK) & ~3;
    const end = src + (<usize>block << 2);
    let sum = f32x4.splat(0);
    for (; src < end; src += 16) {
      const x = expNegative(f32x4.sub(v128.load(src), shift));
      sum = f32x4.add(sum, x);
      if (keep) {
        v128.store(dst, x);
        dst += 16;
      }
    }
    total += sumLanes(sum);
    n -= block;
  }
  if (n) {
    // With an infinite maximum the lanes beyond the tail are NaN, as every element of the row is.
    const x = expNegative(f32x4.sub(loadTail(src, n, f32x4.splat(-Infinity)), shift));
    if (keep) storeTail(dst, x, n);
    total += sumLanes(x);
  }
  return total;
}

/** Multiplies a row in place. */
export function scaleRow(p: usize, n: i32, factor: f32): void {
  const x = f32x4.splat(factor);
  const end = p + (<usize>(n & ~3) << 2);
  for (; p < end; p += 16) v128.store(p, f32x4.mul(v128.load(p), x));
  if (n & 3) storeTail(p, f32x4.mul(loadTail(p, n & 3, x), x), n & 3);
}

/** dst = src - a - b, in that order: the difference to the maximum is small, the sum of both may not be. */
function shiftRow(src: usize, dst: usize, n: i32, a: f32, b: f32): void {
  const x = f32x4.splat(a), y = f32x4.splat(b);
  const end = src + (<usize>(n & ~3) << 2);
  for (; src < end; src += 16, dst += 16) v128.store(dst, f32x4.sub(f32x4.sub(v128.load(src), x), y));
  if (n & 3) storeTail(dst, f32x4.sub(f32x4.sub(loadTail(src, n & 3, x), x), y), n & 3);
}
