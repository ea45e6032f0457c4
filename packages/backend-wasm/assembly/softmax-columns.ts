// Softmax over a dimension that others follow: four columns side by side, each with the sums that `softmaxRows` has.
import { expNegative, log } from "./math";

/** Elements that are summed in single precision before the sum goes on in double. */
const SUM_BLOCK: i32 = 1024;

/** The largest element of each column; NaN where there is one. */
@inline
function columnMax(src: usize, n: i32, next: usize): v128 {
  let most = f32x4.splat(-Infinity), nan = i32x4.splat(0);
  for (let row = 0; row < n; row++, src += next) {
    const x = v128.load(src);
    most = f32x4.pmax(most, x);
    nan = v128.or(nan, f32x4.ne(x, x));
  }
  return v128.or(most, nan);
}

/** (a + c) + (b + d) of two lanes: the order in which `sumLanes` adds. */
@inline
function sumOf(a: v128, b: v128, c: v128, d: v128): v128 {
  const even = f64x2.add(f64x2.promote_low_f32x4(a), f64x2.promote_low_f32x4(c));
  return f64x2.add(even, f64x2.add(f64x2.promote_low_f32x4(b), f64x2.promote_low_f32x4(d)));
}

@inline
function high(x: v128): v128 {
  return v128.shuffle<i64>(x, x, 1, 0);
}

/**
 * Softmax, or its logarithm where `isLog`, of `count` columns of `n` floats each, at least four, whose rows are `next` bytes apart. `dst`
 * lies as `src` does, and elsewhere.
 */
export function softmaxColumns(src: usize, dst: usize, n: i32, next: i32, count: i32, isLog: i32): void {
  for (; count > 0; count -= 4, src += 16, dst += 16) {
    // The last columns are computed with some before them once more.
    const back = <usize>max(4 - count, 0) << 2;
    src -= back, dst -= back;
    const most = columnMax(src, n, next);
    let low = f64x2.splat(0), top = low;
    let a = f32x4.splat(0), b = a, c = a, d = a;
    // The last rows, fewer than four, are summed apart.
    const whole = n & ~3, end = (n + 3) & ~3;
    for (let row = 0, p = src, q = dst; row < end; p += next, q += next) {
      let sum = a;
      if (row < n) {
        const x = expNegative(f32x4.sub(v128.load(p), most));
        if (!isLog) v128.store(q, x);
        sum = f32x4.add(a, x);
      }
      // Of each four rows in turn one goes to each of four sums.
      a = b, b = c, c = d, d = sum;
      row++;
      if (row == whole || row == end || !(row & (SUM_BLOCK - 1))) {
        low = f64x2.add(low, sumOf(a, b, c, d));
        top = f64x2.add(top, sumOf(high(a), high(b), high(c), high(d)));
        a = f32x4.splat(0), b = a, c = a, d = a;
      }
    }
    if (isLog) {
      const logSum = log(v128.shuffle<i64>(f32x4.demote_f64x2_zero(low), f32x4.demote_f64x2_zero(top), 0, 2));
      for (let row = 0, p = src, q = dst; row < n; row++, p += next, q += next) {
        v128.store(q, f32x4.sub(f32x4.sub(v128.load(p), most), logSum));
      }
    } else {
      const one = f64x2.splat(1);
      const scale = v128.shuffle<i64>(
        f32x4.demote_f64x2_zero(f64x2.div(one, low)), f32x4.demote_f64x2_zero(f64x2.div(one, top)), 0, 2,
      );
      for (let row = 0, q = dst; row < n; row++, q += next) {
        v128.store(q, f32x4.mul(v128.load(q), scale));
      }
    }
  }
}
