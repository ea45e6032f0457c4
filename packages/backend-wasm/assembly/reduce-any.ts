// Reductions of all types over a dimension: [outer, n, inner] to [outer, inner].
import { MAX, MIN, PROD, SUM } from "./combining";
import { FLOAT32, FLOAT64, INT32, INT64 } from "./element-types";

/** Columns whose results stay in the first cache while all rows are read. */
@inline
const BLOCK: i32 = 2048;
/** Vectors of bytes that are summed before their sum goes on in 64 bits. */
const BYTES_BLOCK: i32 = 1 << 20;

/**
 * dst[o, i] = sum, product, largest or smallest (`op` 0 to 3) over n of src[o, n, i], of `columns` elements of rows of `row`:
 * `src` and `dst` point at the first of them. Sums and products are of 64 bits, also of float32, of int32 and of bytes (any other
 * `type`); those of floats are divided by `divisor`. There are largest and smallest ones of at least one float64, int32 or int64.
 */
export function reduce(
  op: i32, type: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, divisor: f64,
): void {
  if (op == SUM) {
    if (type == FLOAT32) fold<f32, f64>(SUM, src, dst, outer, n, columns, row, divisor);
    else if (type == FLOAT64) fold<f64, f64>(SUM, src, dst, outer, n, columns, row, divisor);
    else if (type == INT32) fold<i32, i64>(SUM, src, dst, outer, n, columns, row, divisor);
    else if (type == INT64) fold<i64, i64>(SUM, src, dst, outer, n, columns, row, divisor);
    else fold<u8, i64>(SUM, src, dst, outer, n, columns, row, divisor);
  } else if (op == PROD) {
    if (type == FLOAT32) fold<f32, f64>(PROD, src, dst, outer, n, columns, row, divisor);
    else if (type == FLOAT64) fold<f64, f64>(PROD, src, dst, outer, n, columns, row, divisor);
    else fold<i64, i64>(PROD, src, dst, outer, n, columns, row, divisor);
  } else if (op == MAX) extremes(MAX, type, src, dst, outer, n, columns, row);
  else extremes(MIN, type, src, dst, outer, n, columns, row);
}

@inline
function extremes(op: i32, type: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32): void {
  if (type == FLOAT64) fold<f64, f64>(op, src, dst, outer, n, columns, row, 1);
  else if (type == INT32) fold<i32, i32>(op, src, dst, outer, n, columns, row, 1);
  else fold<i64, i64>(op, src, dst, outer, n, columns, row, 1);
}

/** Elements of type T, whose results are of type R. */
@inline
function fold<T, R>(
  op: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32, divisor: f64,
): void {
  const next = <usize>row * sizeof<R>(), all = <usize>n * row * sizeof<T>();
  for (; outer > 0; outer--, src += all, dst += next) {
    if (row == 1) foldRow<T, R>(op, src, dst, n);
    else {
      for (let i = 0; i < columns; i += BLOCK) {
        foldColumns<T, R>(op, src + <usize>i * sizeof<T>(), dst + <usize>i * sizeof<R>(), n, min(columns - i, BLOCK), row);
      }
    }
    if (op == SUM && isFloat<R>()) {
      for (let q = dst, end = dst + (<usize>columns << 3); q < end; q += 8) store<f64>(q, load<f64>(q) / divisor);
    }
  }
}

@inline
function foldRow<T, R>(op: i32, p: usize, dst: usize, n: i32): void {
  let result = start<T, R>(op, p);
  if (sizeof<T>() == 1) {
    result += <R>sumBytes(p, n >> 4);
    p += n & ~15;
    n &= 15;
  } else if (n >= 4 * lanes<R>()) {
    const step = <usize>lanes<R>() * sizeof<T>();
    // Four at a time: each waits for the one before it.
    let a = v128.splat<R>(result), b = a, c = a, d = a;
    for (; n >= 4 * lanes<R>(); n -= 4 * lanes<R>(), p += 4 * step) {
      a = merge<R>(op, a, read<T, R>(p));
      b = merge<R>(op, b, read<T, R>(p + step));
      c = merge<R>(op, c, read<T, R>(p + 2 * step));
      d = merge<R>(op, d, read<T, R>(p + 3 * step));
    }
    a = merge<R>(op, merge<R>(op, a, b), merge<R>(op, c, d));
    result = mergeOne<R>(op, v128.extract_lane<R>(a, 0), v128.extract_lane<R>(a, 1));
    if (lanes<R>() == 4) {
      result = mergeOne<R>(op, result, mergeOne<R>(op, v128.extract_lane<R>(a, 2), v128.extract_lane<R>(a, 3)));
    }
  }
  for (; n > 0; n--, p += sizeof<T>()) result = mergeOne<R>(op, result, <R>load<T>(p));
  store<R>(dst, result);
}

@inline
function foldColumns<T, R>(op: i32, src: usize, dst: usize, n: i32, columns: i32, row: i32): void {
  const end = dst + <usize>columns * sizeof<R>();
  for (let p = src, q = dst; q < end; p += sizeof<T>(), q += sizeof<R>()) store<R>(q, start<T, R>(op, p));
  for (; n > 0; n--, src += <usize>row * sizeof<T>()) {
    let p = src, q = dst;
    if (sizeof<T>() > 1) {
      for (; q + 16 <= end; p += <usize>lanes<R>() * sizeof<T>(), q += 16) {
        v128.store(q, merge<R>(op, v128.load(q), read<T, R>(p)));
      }
    }
    for (; q < end; p += sizeof<T>(), q += sizeof<R>()) store<R>(q, mergeOne<R>(op, load<R>(q), <R>load<T>(p)));
  }
}

/** What elements are merged with: an extreme of no others is the first of them. */
@inline
function start<T, R>(op: i32, first: usize): R {
  return op == SUM ? 0 : op == PROD ? 1 : <R>load<T>(first);
}

@inline
function lanes<R>(): i32 {
  return 16 / sizeof<R>();
}

/** As many elements as a vector of results has. */
@inline
function read<T, R>(p: usize): v128 {
  if (sizeof<T>() == sizeof<R>()) return v128.load(p);
  return isFloat<T>() ? f64x2.promote_low_f32x4(v128.load64_zero(p)) : v128.load32x2_s(p);
}

@inline
function merge<R>(op: i32, x: v128, y: v128): v128 {
  if (op == SUM) return v128.add<R>(x, y);
  if (op == PROD) return v128.mul<R>(x, y);
  if (isFloat<R>() || sizeof<R>() == 4) return op == MAX ? v128.max<R>(x, y) : v128.min<R>(x, y);
  return v128.bitselect(x, y, op == MAX ? v128.gt<R>(x, y) : v128.lt<R>(x, y));
}

@inline
function mergeOne<R>(op: i32, x: R, y: R): R {
  if (op == SUM) return x + y;
  if (op == PROD) return x * y;
  return op == MAX ? max<R>(x, y) : min<R>(x, y);
}

/** The sum of the bytes of vectors. */
function sumBytes(p: usize, vectors: i32): i64 {
  let total: i64 = 0;
  while (vectors > 0) {
    let sum = i32x4.splat(0);
    const block = min(vectors, BYTES_BLOCK);
    for (let i = 0; i < block; i++, p += 16) {
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v128.load(p))));
    }
    const pairs = i64x2.add(i64x2.extend_low_i32x4_u(sum), i64x2.extend_high_i32x4_u(sum));
    total += i64x2.extract_lane(pairs, 0) + i64x2.extract_lane(pairs, 1);
    vectors -= block;
  }
  return total;
}
