// Reductions over a dimension that has others inside it: [outer, n, inner] to [outer, inner].
import { MAX, MIN, SUM } from "./combining";

/** Rows that are summed before their sum joins the sum of the others: two short sums err less than a long one. */
const BLOCK: i32 = 128;

/**
 * dst[o, i] = sum over n of src[o, n, i], / divisor, of `columns` floats of rows of `row` floats: `src` and `dst` point at the
 * first of them.
 */
export function sumColumns(
  src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, divisor: f32,
): void {
  reduceColumns(SUM, src, dst, outer, n, columns, row, divisor);
}

/** dst[o, i] = the largest src[o, n, i], NaN when there is one; see `sumColumns`. */
export function maxColumns(src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32): void {
  reduceColumns(MAX, src, dst, outer, n, columns, row, 1);
}

/** dst[o, i] = the smallest src[o, n, i], NaN when there is one; see `sumColumns`. */
export function minColumns(src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32): void {
  reduceColumns(MIN, src, dst, outer, n, columns, row, 1);
}

@inline
function reduceColumns(
  op: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, divisor: f32,
): void {
  const bytes = <usize>row << 2;
  for (let o = 0; o < outer; o++, src += <usize>n * bytes, dst += bytes) {
    // All columns of some rows before the next rows: neighbors of a line are read while it is in the cache.
    for (let r = 0; r < n || !r; r += BLOCK) {
      const rows = min(n - r, BLOCK);
      const isFirst = r == 0, isLast = r + BLOCK >= n;
      let p = src + <usize>r * bytes, q = dst;
      let i = 0;
      for (; i + 16 <= columns; i += 16, p += 64, q += 64) lines(op, 4, p, q, rows, bytes, isFirst, isLast, divisor);
      for (; i + 4 <= columns; i += 4, p += 16, q += 16) lines(op, 1, p, q, rows, bytes, isFirst, isLast, divisor);
    }
    for (let i = columns & ~3; i < columns; i++) one(op, src + (<usize>i << 2), dst + (<usize>i << 2), n, bytes, divisor);
  }
}

/** Reduces some rows of `vectors` (1 or 4) neighboring vectors of columns, with what `dst` holds of those before. */
@inline
function lines(
  op: i32, vectors: i32, src: usize, dst: usize, rows: i32, row: usize, isFirst: bool, isLast: bool, divisor: f32,
): void {
  const start = f32x4.splat(op == SUM ? 0 : op == MAX ? -Infinity : Infinity);
  let a = start, b = start, c = start, d = start;
  let nanA = f32x4.splat(0), nanB = nanA, nanC = nanA, nanD = nanA;
  for (; rows > 0; rows--, src += row) {
    let x = v128.load(src);
    a = merge(op, a, x), nanA = noteNaN(op, nanA, x);
    if (vectors > 1) {
      x = v128.load(src, 16);
      b = merge(op, b, x), nanB = noteNaN(op, nanB, x);
      x = v128.load(src, 32);
      c = merge(op, c, x), nanC = noteNaN(op, nanC, x);
      x = v128.load(src, 48);
      d = merge(op, d, x), nanD = noteNaN(op, nanD, x);
    }
  }
  finish(op, a, nanA, dst, isFirst, isLast, divisor);
  if (vectors > 1) {
    finish(op, b, nanB, dst + 16, isFirst, isLast, divisor);
    finish(op, c, nanC, dst + 32, isFirst, isLast, divisor);
    finish(op, d, nanD, dst + 48, isFirst, isLast, divisor);
  }
}

/** Joins the result of some rows with that of the rows before. */
@inline
function finish(op: i32, x: v128, nan: v128, dst: usize, isFirst: bool, isLast: bool, divisor: f32): void {
  // A lane that is all ones is a NaN.
  x = v128.or(x, nan);
  if (!isFirst) {
    const before = v128.load(dst);
    x = op == SUM ? f32x4.add(before, x) : op == MAX ? f32x4.max(before, x) : f32x4.min(before, x);
  }
  v128.store(dst, op == SUM && isLast ? f32x4.div(x, f32x4.splat(divisor)) : x);
}

/** The sum, or the larger or smaller where neither is NaN: `f32x4.max` takes eight instructions, as it thinks of NaN. */
@inline
function merge(op: i32, x: v128, y: v128): v128 {
  if (op == SUM) return f32x4.add(x, y);
  return op == MAX ? f32x4.pmax(x, y) : f32x4.pmin(x, y);
}

@inline
function noteNaN(op: i32, seen: v128, x: v128): v128 {
  return op == SUM ? seen : v128.or(seen, f32x4.ne(x, x));
}

@inline
function one(op: i32, src: usize, dst: usize, n: i32, row: usize, divisor: f32): void {
  if (op == SUM) {
    let sum: f64 = 0;
    for (; n > 0; n--, src += row) sum += load<f32>(src);
    store<f32>(dst, <f32>(sum / divisor));
  } else {
    let most: f32 = op == MAX ? -Infinity : Infinity;
    for (; n > 0; n--, src += row) {
      const x = load<f32>(src);
      most = op == MAX ? max<f32>(most, x) : min<f32>(most, x);
    }
    store<f32>(dst, most);
  }
}
