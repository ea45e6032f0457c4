// Reductions of contiguous rows to one number each.
import { rowMax, rowMin } from "./extremes";
import { sumLanes } from "./lanes";

/** Floats that are summed in single precision, in eight lanes, before the sum goes on in double. */
const SUM_BLOCK: i32 = 512;

/** dst[row] = sum of the row / divisor. */
export function sumRows(src: usize, dst: usize, rows: i32, n: i32, divisor: f32): void {
  for (let row = 0; row < rows; row++, src += <usize>n << 2, dst += 4) store<f32>(dst, <f32>(rowSum(src, n) / divisor));
}

/** dst[row] = the largest element, NaN when there is one. */
export function maxRows(src: usize, dst: usize, rows: i32, n: i32): void {
  for (let row = 0; row < rows; row++, src += <usize>n << 2, dst += 4) store<f32>(dst, rowMax(src, n));
}

/** dst[row] = the smallest element, NaN when there is one. */
export function minRows(src: usize, dst: usize, rows: i32, n: i32): void {
  for (let row = 0; row < rows; row++, src += <usize>n << 2, dst += 4) store<f32>(dst, rowMin(src, n));
}

/** dst[row] = index of the first largest element, or of the first NaN, as a 32-bit integer. */
export function argmaxRows(src: usize, dst: usize, rows: i32, n: i32): void {
  for (let row = 0; row < rows; row++, src += <usize>n << 2, dst += 4) store<i32>(dst, indexOf(src, n, rowMax(src, n)));
}

/** dst[row] = index of the first smallest element, or of the first NaN, as a 32-bit integer. */
export function argminRows(src: usize, dst: usize, rows: i32, n: i32): void {
  for (let row = 0; row < rows; row++, src += <usize>n << 2, dst += 4) store<i32>(dst, indexOf(src, n, rowMin(src, n)));
}

/** The sum of a row. */
export function rowSum(p: usize, n: i32): f64 {
  let total: f64 = 0;
  for (; n >= 8; ) {
    const block = min(n, SUM_BLOCK) & ~7;
    let a = f32x4.splat(0), b = a;
    for (let i = 0; i < block; i += 8, p += 32) {
      a = f32x4.add(a, v128.load(p));
      b = f32x4.add(b, v128.load(p, 16));
    }
    total += sumLanes(a) + sumLanes(b);
    n -= block;
  }
  for (; n > 0; n--, p += 4) total += load<f32>(p);
  return total;
}

/** Where `value` (NaN: any NaN) first is in the row, which holds it. */
function indexOf(p: usize, n: i32, value: f32): i32 {
  const isNaN = value != value;
  const x = f32x4.splat(value);
  let i = 0;
  for (; i + 4 <= n; i += 4, p += 16) {
    const y = v128.load(p);
    if (v128.any_true(isNaN ? f32x4.ne(y, y) : f32x4.eq(y, x))) break;
  }
  for (; i < n; i++, p += 4) {
    const y = load<f32>(p);
    if (isNaN ? y != y : y == value) break;
  }
  return i;
}
