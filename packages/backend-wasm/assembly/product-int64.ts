// Products of int64 whose numbers are so small that doubles hold every sum: a vector multiplies these in one instruction instead of nine.
import { productFloat64, productLong, storePart } from "./product";

/** Rows that are converted at a time; src/kernels/matmul/product.ts has room for them, and for a panel of B and of C. */
const ROWS: i32 = 64;
/** The bits of 1.5 * 2^52: an integer of up to 51 bits is added to them, and subtracting this double leaves it as a double. */
const BIASED: i64 = 0x4338000000000000;
/** Bits that all sums have to have room in. */
const MOST: i32 = 51;

/** Converts `count` integers. Gives a number with each bit that one of them has, or lacks if it is negative. */
function toDoubles(src: usize, count: i32, dst: usize): i64 {
  const bias = i64x2.splat(BIASED), zero = i64x2.splat(0);
  let all = zero;
  for (; count > 1; count -= 2, src += 16, dst += 16) {
    const x = v128.load(src);
    all = v128.or(all, v128.xor(x, v128.lt<i64>(x, zero)));
    v128.store(dst, f64x2.sub(i64x2.add(x, bias), bias));
  }
  let rest: i64 = 0;
  if (count) {
    const x = load<i64>(src);
    rest = x ^ (x >> 63);
    store<f64>(dst, <f64>x);
  }
  return rest | i64x2.extract_lane(all, 0) | i64x2.extract_lane(all, 1);
}

/** Bits of a number that is not negative. */
@inline
function bitsOf(x: i64): i32 {
  return 64 - <i32>clz(x);
}

/** As `productFloat64`. The scratch has room for 64 rows of A, a panel of B and 64 rows of four columns of C. */
export function productInt64(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32, scratch: usize,
): void {
  const wideB = scratch + ((<usize>ROWS * <usize>K) << 3), wideC = wideB + (<usize>K << 5);
  const room = MOST - bitsOf(K - 1);
  const bias = i64x2.splat(BIASED), nextC = <usize>ldc << 3;
  for (let m = 0; m < M; m += ROWS) {
    const rows = min(ROWS, M - m);
    const from = a + ((<usize>m * <usize>lda) << 3);
    let all: i64 = 0;
    for (let i = 0; i < rows; i++) {
      all |= toDoubles(from + ((<usize>i * <usize>lda) << 3), K, scratch + ((<usize>i * <usize>K) << 3));
    }
    const bitsA = bitsOf(all);
    for (let n = 0, panel = b; n < N; n += 4, panel += <usize>K << 5) {
      const columns = min(4, N - n);
      let to = c + <usize>m * nextC + (<usize>n << 3);
      if (rows < 4 || bitsA + bitsOf(toDoubles(panel, K << 2, wideB)) > room) {
        productLong(rows, columns, K, from, lda, panel, to, ldc);
        continue;
      }
      productFloat64(rows, 4, K, scratch, K, wideB, wideC, 4);
      for (let sum = wideC, end = wideC + (<usize>rows << 5); sum < end; sum += 32, to += nextC) {
        const s0 = i64x2.sub(f64x2.add(v128.load(sum), bias), bias);
        const s1 = i64x2.sub(f64x2.add(v128.load(sum, 16), bias), bias);
        storePart(to, s0, s1, <usize>columns << 3);
      }
    }
  }
}
