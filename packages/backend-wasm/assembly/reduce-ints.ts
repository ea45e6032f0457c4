// Reductions of integers over a dimension: [outer, n, inner] to [outer, inner].

@inline
const SUM: i32 = 0;
@inline
const PROD: i32 = 1;
@inline
const MAX: i32 = 2;
/** Vectors of bytes that are summed before their sum goes on in 64 bits. */
const BLOCK: i32 = 1 << 20;

/**
 * dst[o, i] = sum, product, largest or smallest (`op` 0 to 3) over n of src[o, n, i], of `columns` integers of rows of `row`:
 * `src` and `dst` point at the first of them, and `n` is at least 1. Those of `bytes` 1 (without a sign), 4 or 8 are summed in
 * 64 bits; others are of 4 or 8, as results are.
 */
export function reduceInts(
  op: i32, bytes: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32,
): void {
  if (op != SUM) {
    if (bytes == 4) reduce<i32, i32>(op, src, dst, outer, n, columns, row);
    else reduce<i64, i64>(op, src, dst, outer, n, columns, row);
  } else if (bytes == 1) {
    reduce<u8, i64>(SUM, src, dst, outer, n, columns, row);
  } else if (bytes == 4) {
    reduce<i32, i64>(SUM, src, dst, outer, n, columns, row);
  } else {
    reduce<i64, i64>(SUM, src, dst, outer, n, columns, row);
  }
}

@inline
function reduce<T, Result>(op: i32, src: usize, dst: usize, outer: i32, n: i32, columns: i32, row: i32): void {
  for (; outer > 0; outer--, dst += <usize>row * sizeof<Result>()) {
    if (row == 1) {
      let result: Result = 0, count = n;
      if (sizeof<T>() == 1) {
        result = <Result>sumVectors(src, n >> 4);
        src += n & ~15;
        count = n & 15;
      } else if (op != SUM) {
        result = <Result>load<T>(src);
        src += sizeof<T>();
        count--;
      }
      for (; count > 0; count--, src += sizeof<T>()) result = merge<Result>(op, result, <Result>load<T>(src));
      store<Result>(dst, result);
      continue;
    }
    for (let r = 0; r < n; r++, src += <usize>row * sizeof<T>()) {
      for (let p = src, q = dst, end = dst + <usize>columns * sizeof<Result>(); q < end; p += sizeof<T>(), q += sizeof<Result>()) {
        const x = <Result>load<T>(p);
        store<Result>(q, r ? merge<Result>(op, load<Result>(q), x) : x);
      }
    }
  }
}

@inline
function merge<T>(op: i32, x: T, y: T): T {
  if (op == SUM) return x + y;
  if (op == PROD) return x * y;
  return (op == MAX) == x > y ? x : y;
}

/** The sum of the bytes of vectors. */
function sumVectors(p: usize, vectors: i32): i64 {
  let total: i64 = 0;
  while (vectors > 0) {
    let sum = i32x4.splat(0);
    const block = min(vectors, BLOCK);
    for (let i = 0; i < block; i++, p += 16) {
      sum = i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(v128.load(p))));
    }
    const pairs = i64x2.add(i64x2.extend_low_i32x4_u(sum), i64x2.extend_high_i32x4_u(sum));
    total += i64x2.extract_lane(pairs, 0) + i64x2.extract_lane(pairs, 1);
    vectors -= block;
  }
  return total;
}
