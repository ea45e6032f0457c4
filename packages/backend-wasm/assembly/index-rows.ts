// Rows that lie where a table of positions says: gathers read them, scatters write them or combine them with what is there.

@inline
const SUM: i32 = 1;
@inline
const PROD: i32 = 2;
@inline
const MAX: i32 = 3;
@inline
const MIN: i32 = 4;
@inline
const SUM_INT64: i32 = 5;

/**
 * For each row of `outer` by `inner` ones, in this order: dst = src (`op` 0, of any dtype), or dst = dst `op` src of floats
 * (int64 for `op` 5), for `bytes` of them. Rows lie `srcOuter`, `srcInner` and so on apart, in bytes, and `srcRow` or `dstRow` times their position, of
 * which `rows` points to 32-bit integers.
 */
export function indexRows(
  op: i32, outer: i32, inner: i32, bytes: i32,
  src: usize, srcOuter: i32, srcInner: i32, srcRow: i32,
  dst: usize, dstOuter: i32, dstInner: i32, dstRow: i32,
  rows: usize, rowsOuter: i32, rowsInner: i32,
): void {
  for (; outer > 0; outer--, src += srcOuter, dst += dstOuter, rows += rowsOuter) {
    for (let i = 0, s = src, d = dst, r = rows; i < inner; i++, s += srcInner, d += dstInner, r += rowsInner) {
      const row = load<i32>(r);
      const p = s + row * srcRow, q = d + row * dstRow;
      if (op == SUM) combine(SUM, p, q, bytes);
      else if (op == PROD) combine(PROD, p, q, bytes);
      else if (op == MAX) combine(MAX, p, q, bytes);
      else if (op == MIN) combine(MIN, p, q, bytes);
      else if (op == SUM_INT64) addInts(p, q, bytes);
      else move(p, q, bytes);
    }
  }
}

@inline
function move(p: usize, q: usize, bytes: i32): void {
  for (; bytes >= 16; bytes -= 16, p += 16, q += 16) v128.store(q, v128.load(p));
  for (; bytes >= 4; bytes -= 4, p += 4, q += 4) store<u32>(q, load<u32>(p));
  for (; bytes > 0; bytes--, p++, q++) store<u8>(q, load<u8>(p));
}

@inline
function addInts(p: usize, q: usize, bytes: i32): void {
  for (; bytes > 0; bytes -= 8, p += 8, q += 8) store<i64>(q, load<i64>(q) + load<i64>(p));
}

@inline
function combine(op: i32, p: usize, q: usize, bytes: i32): void {
  for (; bytes >= 16; bytes -= 16, p += 16, q += 16) {
    const x = v128.load(q), y = v128.load(p);
    v128.store(
      q,
      op == SUM ? f32x4.add(x, y) : op == PROD ? f32x4.mul(x, y) : op == MAX ? f32x4.max(x, y) : f32x4.min(x, y),
    );
  }
  for (; bytes > 0; bytes -= 4, p += 4, q += 4) {
    const x = load<f32>(q), y = load<f32>(p);
    store<f32>(q, op == SUM ? x + y : op == PROD ? x * y : op == MAX ? max<f32>(x, y) : min<f32>(x, y));
  }
}

/**
 * Writes `n` int64 positions as 32-bit ones, which negative ones have `size` added to. Returns 1 when all are at least `least`
 * and less than `size`.
 */
export function readRows(index: usize, rows: usize, n: i32, least: i32, size: i32): i32 {
  let fits: i32 = 1;
  for (; n > 0; n--, index += 8, rows += 4) {
    const row = load<i64>(index);
    fits &= <i32>(row >= least) & <i32>(row < size);
    store<i32>(rows, <i32>row + (<i32>(row >> 63) & size));
  }
  return fits;
}
