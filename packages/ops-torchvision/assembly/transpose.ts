// Transposition of matrices of float32, four rows and columns at a time.

/** dst[c * rows + r] = src[r * columns + c], for each of `count` matrices. */
export function transpose(src: usize, dst: usize, count: i32, rows: i32, columns: i32): void {
  const bytes = <usize>(rows * columns) << 2;
  for (let each = 0; each < count; each++, src += bytes, dst += bytes) {
    transposeRows(src, dst, rows, columns, <usize>columns << 2);
  }
}

/** [batch, channels, bins, plane] becomes [batch, bins, plane, channels]. */
export function transposeBins(src: usize, dst: usize, batch: i32, channels: i32, bins: i32, plane: i32): void {
  const bin = <usize>plane << 2, channel = <usize>bins * bin, picture = <usize>channels * channel;
  for (let n = 0; n < batch; n++, src += picture) {
    for (let b = 0; b < bins; b++, dst += bin * <usize>channels) {
      transposeRows(src + <usize>b * bin, dst, channels, plane, channel);
    }
  }
}

/** Transposes a matrix whose rows are `s` bytes apart. */
function transposeRows(src: usize, dst: usize, rows: i32, columns: i32, s: usize): void {
  const d = <usize>rows << 2;
  let r = 0, from = src, to = dst;
  for (; r + 4 <= rows; r += 4, from += s << 2, to += 16) {
    let c = 0, p = from, q = to;
    for (; c + 4 <= columns; c += 4, p += 16, q += d << 2) square(p, q, s, d);
    for (; c < columns; c++, p += 4, q += d) {
      for (let i: usize = 0; i < 4; i++) store<u32>(q + (i << 2), load<u32>(p + i * s));
    }
  }
  for (; r < rows; r++, from += s, to += 4) {
    for (let c = 0, p = from, q = to; c < columns; c++, p += 4, q += d) store<u32>(q, load<u32>(p));
  }
}

@inline
function square(p: usize, q: usize, s: usize, d: usize): void {
  const a = v128.load(p), b = v128.load(p + s), x = v128.load(p + 2 * s), y = v128.load(p + 3 * s);
  const low = v128.shuffle<i32>(a, b, 0, 4, 1, 5), high = v128.shuffle<i32>(a, b, 2, 6, 3, 7);
  const lowNext = v128.shuffle<i32>(x, y, 0, 4, 1, 5), highNext = v128.shuffle<i32>(x, y, 2, 6, 3, 7);
  v128.store(q, v128.shuffle<i64>(low, lowNext, 0, 2));
  v128.store(q + d, v128.shuffle<i64>(low, lowNext, 1, 3));
  v128.store(q + 2 * d, v128.shuffle<i64>(high, highNext, 0, 2));
  v128.store(q + 3 * d, v128.shuffle<i64>(high, highNext, 1, 3));
}
