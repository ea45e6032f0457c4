// Transposition of matrices of one, two or eight bytes an element, a register or more at a time.

/** Columns that are read side by side: of those that they become, a cache line, or half of one, is written. */
@inline
const COLUMNS: i32 = 32;

/**
 * dst[r * dstStride + c] = src[c * srcStride + r] for each r < rows and c < columns; strides in bytes between what is r or c
 * apart.
 */
@inline
export function transposeAny<T>(
  src: usize, dst: usize, rows: i32, columns: i32, srcStride: isize, dstStride: isize,
): void {
  const side = sizeof<T>() == 8 ? 2 : 8;
  const strip = sizeof<T>() == 8 ? 8 : COLUMNS;
  for (let first = 0; first < columns; first += strip) {
    const count = min(columns - first, strip);
    const whole = count - count % side;
    let p = src + first * srcStride, q = dst + first * sizeof<T>();
    let r = 0;
    for (; r + side <= rows; r += side, p += side * sizeof<T>(), q += side * dstStride) {
      let s = p, d = q;
      let c = 0;
      for (; c < whole; c += side, s += side * srcStride, d += side * sizeof<T>()) {
        if (sizeof<T>() == 8) pair(s, d, srcStride, dstStride);
        else if (sizeof<T>() == 2) shorts(s, d, srcStride, dstStride);
        else bytes(s, d, srcStride, dstStride);
      }
      for (; c < count; c++, s += srcStride, d += sizeof<T>()) {
        for (let k = 0; k < side; k++) store<T>(d + k * dstStride, load<T>(s + k * sizeof<T>()));
      }
    }
    for (; r < rows; r++, p += sizeof<T>(), q += dstStride) {
      for (let c = 0, s = p, d = q; c < count; c++, s += srcStride, d += sizeof<T>()) store<T>(d, load<T>(s));
    }
  }
}

/** Two rows and columns of eight bytes an element. */
@inline
function pair(p: usize, q: usize, s: isize, d: isize): void {
  const a = v128.load(p), b = v128.load(p + s);
  v128.store(q, v128.shuffle<u64>(a, b, 0, 2));
  v128.store(q + d, v128.shuffle<u64>(a, b, 1, 3));
}

/** Eight rows and columns of two bytes an element. */
@inline
function shorts(p: usize, q: usize, s: isize, d: isize): void {
  const a = v128.load(p), b = v128.load(p += s), e = v128.load(p += s), f = v128.load(p += s);
  const g = v128.load(p += s), h = v128.load(p += s), i = v128.load(p += s), j = v128.load(p + s);
  q = half(q, d, lowShorts(a, b), lowShorts(e, f), lowShorts(g, h), lowShorts(i, j));
  half(q, d, highShorts(a, b), highShorts(e, f), highShorts(g, h), highShorts(i, j));
}

/** Writes four columns, of which each register has two rows one after the other; returns where the next column goes. */
@inline
function half(q: usize, d: isize, a: v128, b: v128, e: v128, f: v128): usize {
  const first = lowInts(a, b), third = highInts(a, b), second = lowInts(e, f), fourth = highInts(e, f);
  v128.store(q, v128.shuffle<u64>(first, second, 0, 2));
  v128.store(q += d, v128.shuffle<u64>(first, second, 1, 3));
  v128.store(q += d, v128.shuffle<u64>(third, fourth, 0, 2));
  v128.store(q += d, v128.shuffle<u64>(third, fourth, 1, 3));
  return q + d;
}

/** Eight rows and columns of bytes. */
@inline
function bytes(p: usize, q: usize, s: isize, d: isize): void {
  const a = v128.load64_zero(p), b = v128.load64_zero(p += s), e = v128.load64_zero(p += s), f = v128.load64_zero(p += s);
  const g = v128.load64_zero(p += s), h = v128.load64_zero(p += s), i = v128.load64_zero(p += s), j = v128.load64_zero(p + s);
  const first = lowBytes(a, b), second = lowBytes(e, f), third = lowBytes(g, h), fourth = lowBytes(i, j);
  const upper = lowShorts(first, second), lower = lowShorts(third, fourth);
  q = columns(q, d, lowInts(upper, lower), highInts(upper, lower));
  const upper2 = highShorts(first, second), lower2 = highShorts(third, fourth);
  columns(q, d, lowInts(upper2, lower2), highInts(upper2, lower2));
}

@inline
function columns(q: usize, d: isize, a: v128, b: v128): usize {
  v128.store64_lane(q, a, 0);
  v128.store64_lane(q += d, a, 1);
  v128.store64_lane(q += d, b, 0);
  v128.store64_lane(q += d, b, 1);
  return q + d;
}

@inline
function lowBytes(a: v128, b: v128): v128 {
  return v128.shuffle<u8>(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

@inline
function lowShorts(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
}

@inline
function highShorts(a: v128, b: v128): v128 {
  return v128.shuffle<u16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
}

@inline
function lowInts(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 0, 4, 1, 5);
}

@inline
function highInts(a: v128, b: v128): v128 {
  return v128.shuffle<u32>(a, b, 2, 6, 3, 7);
}
