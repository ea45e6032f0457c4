// Rows that lie where a table of positions says: gathers read them, scatters write them or combine them with what is there.
import { MAX, PROD, SUM } from "./combining";
import { decodeHalves, encodeHalves } from "./small-floats";

/**
 * Copies rows of `bytes`, `outer` by `inner` of them, in this order. Rows lie `srcOuter`, `srcInner` and so on apart, in
 * bytes, and `srcRow` or `dstRow` times their position, of which `rows` points to 32-bit integers.
 */
export function moveRows(
  outer: i32, inner: i32, bytes: i32,
  src: usize, srcOuter: i32, srcInner: i32, srcRow: i32,
  dst: usize, dstOuter: i32, dstInner: i32, dstRow: i32,
  rows: usize, rowsOuter: i32, rowsInner: i32,
): void {
  for (; outer > 0; outer--, src += srcOuter, dst += dstOuter, rows += rowsOuter) {
    if (bytes == 4) moveEach<u32>(inner, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (bytes == 8) moveEach<u64>(inner, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (bytes == 2) moveEach<u16>(inner, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (bytes == 1) moveEach<u8>(inner, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else {
      for (let i = 0, s = src, d = dst, r = rows; i < inner; i++, s += srcInner, d += dstInner, r += rowsInner) {
        const row = load<i32>(r);
        move(s + row * srcRow, d + row * dstRow, bytes);
      }
    }
  }
}

/**
 * Rows that are one element each, which are the rule where each has a position of its own: four at a time where what is
 * written lies in order.
 */
@inline
function moveEach<T>(
  n: i32, s: usize, srcInner: i32, srcRow: i32, d: usize, dstInner: i32, dstRow: i32, r: usize, rowsInner: i32,
): void {
  if (dstRow == 0 && rowsInner == 4) {
    for (; n >= 4; n -= 4, r += 16) {
      const at = i32x4.mul(v128.load(r), i32x4.splat(srcRow));
      const s1 = s + srcInner, s2 = s1 + srcInner, s3 = s2 + srcInner;
      const d1 = d + dstInner, d2 = d1 + dstInner, d3 = d2 + dstInner;
      store<T>(d, load<T>(s + i32x4.extract_lane(at, 0)));
      store<T>(d1, load<T>(s1 + i32x4.extract_lane(at, 1)));
      store<T>(d2, load<T>(s2 + i32x4.extract_lane(at, 2)));
      store<T>(d3, load<T>(s3 + i32x4.extract_lane(at, 3)));
      s = s3 + srcInner;
      d = d3 + dstInner;
    }
  }
  for (; n > 0; n--, s += srcInner, d += dstInner, r += rowsInner) {
    const row = load<i32>(r);
    store<T>(d + row * dstRow, load<T>(s + row * srcRow));
  }
}

@inline
function move(p: usize, q: usize, bytes: i32): void {
  for (; bytes >= 16; bytes -= 16, p += 16, q += 16) v128.store(q, v128.load(p));
  for (; bytes >= 4; bytes -= 4, p += 4, q += 4) store<u32>(q, load<u32>(p));
  for (; bytes > 0; bytes--, p++, q++) store<u8>(q, load<u8>(p));
}

/**
 * dst = dst `op` src for each element of rows as `moveRows` copies them. The `type` of elements: 0 is float32, 1 float64, 2
 * int64, 3 int32, 4 uint32, 5 int16, 6 uint16, 7 int8, 8 uint8, 9 float16 and 10 bfloat16. The `op`: 0 is a sum, 1 a product, 2 a
 * maximum and 3 a minimum.
 */
export function combineRows(
  type: i32, op: i32, outer: i32, inner: i32, bytes: i32,
  src: usize, srcOuter: i32, srcInner: i32, srcRow: i32,
  dst: usize, dstOuter: i32, dstInner: i32, dstRow: i32,
  rows: usize, rowsOuter: i32, rowsInner: i32,
): void {
  for (; outer > 0; outer--, src += srcOuter, dst += dstOuter, rows += rowsOuter) {
    if (type == 0) combine<f32>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 1) combine<f64>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 2) combine<i64>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 3) combine<i32>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 4) combine<u32>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 5) combine<i16>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 6) combine<u16>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 7) combine<i8>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else if (type == 8) combine<u8>(op, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
    else combineHalves(op, type == 10, inner, bytes, src, srcInner, srcRow, dst, dstInner, dstRow, rows, rowsInner);
  }
}

/** Each combination is rounded, as in PyTorch. */
function combineHalves(
  op: i32, isBrain: bool, n: i32, bytes: i32,
  s: usize, srcInner: i32, srcRow: i32, d: usize, dstInner: i32, dstRow: i32, r: usize, rowsInner: i32,
): void {
  for (; n > 0; n--, s += srcInner, d += dstInner, r += rowsInner) {
    const row = load<i32>(r);
    let p = s + row * srcRow, q = d + row * dstRow;
    const end = q + bytes;
    for (; q + 8 <= end; p += 8, q += 8) {
      const x = combineFour(op, isBrain, v128.load16x4_u(q), v128.load16x4_u(p));
      v128.store64_lane(q, i16x8.narrow_i32x4_u(x, x), 0);
    }
    for (; q < end; p += 2, q += 2) {
      const x = combineFour(op, isBrain, i32x4.splat(load<u16>(q)), i32x4.splat(load<u16>(p)));
      store<u16>(q, i32x4.extract_lane(x, 0));
    }
  }
}

@inline
function combineFour(op: i32, isBrain: bool, x: v128, y: v128): v128 {
  return encodeHalves(combined4(op, decodeHalves(x, isBrain), decodeHalves(y, isBrain)), isBrain);
}

function combine<T>(
  op: i32, n: i32, bytes: i32,
  s: usize, srcInner: i32, srcRow: i32, d: usize, dstInner: i32, dstRow: i32, r: usize, rowsInner: i32,
): void {
  if (bytes == sizeof<T>()) {
    for (; n > 0; n--, s += srcInner, d += dstInner, r += rowsInner) {
      const row = load<i32>(r);
      const q = d + row * dstRow;
      store<T>(q, combined<T>(op, load<T>(q), load<T>(s + row * srcRow)));
    }
    return;
  }
  for (; n > 0; n--, s += srcInner, d += dstInner, r += rowsInner) {
    const row = load<i32>(r);
    let p = s + row * srcRow, q = d + row * dstRow;
    const end = q + bytes;
    if (sizeof<T>() == 4 && isFloat<T>()) {
      for (; q + 16 <= end; p += 16, q += 16) v128.store(q, combined4(op, v128.load(q), v128.load(p)));
    }
    for (; q < end; p += sizeof<T>(), q += sizeof<T>()) store<T>(q, combined<T>(op, load<T>(q), load<T>(p)));
  }
}

@inline
function combined4(op: i32, x: v128, y: v128): v128 {
  if (op == SUM) return f32x4.add(x, y);
  if (op == PROD) return f32x4.mul(x, y);
  return op == MAX ? f32x4.max(x, y) : f32x4.min(x, y);
}

@inline
function combined<T>(op: i32, x: T, y: T): T {
  if (op == SUM) return <T>(x + y);
  if (op == PROD) return <T>(x * y);
  return op == MAX ? max<T>(x, y) : min<T>(x, y);
}

/**
 * Divides those of `n` elements of a `type` by `counts` (int32) and `more` whose count is not 0; quotients of integers are
 * floored. PyTorch counts in the type: counts wrap around, are 1 in the place of 0, and are rounded to 16 bits, though
 * the sums of such floats are float32 here.
 */
export function divideByCounts(type: i32, sums: usize, counts: usize, n: i32, more: i32): void {
  if (type == 0) divide<f32>(sums, counts, n, more);
  else if (type == 1) divide<f64>(sums, counts, n, more);
  else if (type == 2) divide<i64>(sums, counts, n, more);
  else if (type == 3) divide<i32>(sums, counts, n, more);
  else if (type == 4) divide<u32>(sums, counts, n, more);
  else if (type == 5) divide<i16>(sums, counts, n, more);
  else if (type == 6) divide<u16>(sums, counts, n, more);
  else if (type == 7) divide<i8>(sums, counts, n, more);
  else if (type == 8) divide<u8>(sums, counts, n, more);
  else divideRounded(sums, counts, n, more, type == 10);
}

function divide<T>(sums: usize, counts: usize, n: i32, more: i32): void {
  for (; n > 0; n--, sums += sizeof<T>(), counts += 4) {
    const count = load<i32>(counts);
    if (count == 0) continue;
    const sum = load<T>(sums);
    if (isFloat<T>()) store<T>(sums, sum / <T>(count + more));
    else {
      const wrapped = <i64>(<T>(count + more));
      const whole = <i64>sum, by = wrapped == 0 ? 1 : wrapped;
      const quotient = whole / by;
      store<T>(sums, <T>(quotient * by != whole && (whole < 0) != (by < 0) ? quotient - 1 : quotient));
    }
  }
}

function divideRounded(sums: usize, counts: usize, n: i32, more: i32, isBrain: bool): void {
  for (; n > 0; n--, sums += 4, counts += 4) {
    const count = load<i32>(counts);
    if (count == 0) continue;
    const by = decodeHalves(encodeHalves(f32x4.splat(<f32>(count + more)), isBrain), isBrain);
    store<f32>(sums, load<f32>(sums) / f32x4.extract_lane(by, 0));
  }
}

/**
 * Writes `n` int64 positions as 32-bit ones, which negative ones have `size` added to. Returns 1 when all are at least `least`
 * and less than `size`.
 */
export function readRows(index: usize, rows: usize, n: i32, least: i32, size: i32): i32 {
  const lowest = i32x4.splat(least), sizes = i32x4.splat(size);
  let fit = i32x4.splat(-1);
  for (; n >= 4; n -= 4, index += 32, rows += 16) {
    const a = v128.load(index), b = v128.load(index, 16);
    const row = v128.shuffle<i32>(a, b, 0, 2, 4, 6), high = v128.shuffle<i32>(a, b, 1, 3, 5, 7);
    const sign = i32x4.shr_s(row, 31);
    const inside = v128.and(i32x4.ge_s(row, lowest), i32x4.lt_s(row, sizes));
    fit = v128.and(fit, v128.and(inside, i32x4.eq(high, sign)));
    v128.store(rows, i32x4.add(row, v128.and(sign, sizes)));
  }
  let fits = <i32>i32x4.all_true(fit);
  for (; n > 0; n--, index += 8, rows += 4) {
    const row = load<i64>(index);
    fits &= <i32>(row >= least) & <i32>(row < size);
    store<i32>(rows, <i32>row + (<i32>(row >> 63) & size));
  }
  return fits;
}
