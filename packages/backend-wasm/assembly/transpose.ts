// Transposition of matrices of 4-byte elements, sixteen rows at a time: they become whole cache lines.
import { column0, column1, column2, column3 } from "./transpose4";

/**
 * dst[c * dstStride + r] = src[r * srcStride + c] for each r < rows and c < columns; strides in elements. `scratch` has 1 kB
 * that no other thread uses: a 16x16 block is put together there, so that each of its 32 cache lines is touched once.
 */
export function transpose(
  src: usize, dst: usize, rows: i32, columns: i32, srcStride: i32, dstStride: i32, scratch: usize,
): void {
  const s = <usize>srcStride << 2, d = <usize>dstStride << 2;
  // Rows that are a multiple of 1 KB apart share few sets of the first cache, and would push each other out of it.
  const crowded = !(s & 1023) || !(d & 1023);
  let r = 0;
  for (; r + 16 <= rows; r += 16, src += s << 4, dst += 64) {
    let p = src, q = dst;
    let c = 0;
    if (crowded) for (; c + 16 <= columns; c += 16, p += 64, q += d << 4) block(p, q, s, d, scratch);
    for (; c + 4 <= columns; c += 4, p += 16, q += d << 2) {
      square(p, q, s, d);
      square(p + (s << 2), q + 16, s, d);
      square(p + (s << 3), q + 32, s, d);
      square(p + 12 * s, q + 48, s, d);
    }
    for (; c < columns; c++, p += 4, q += d) line(p, q, 16, s);
  }
  for (; r + 4 <= rows; r += 4, src += s << 2, dst += 16) {
    let p = src, q = dst;
    let c = 0;
    for (; c + 4 <= columns; c += 4, p += 16, q += d << 2) square(p, q, s, d);
    for (; c < columns; c++, p += 4, q += d) line(p, q, 4, s);
  }
  for (; r < rows; r++, src += s, dst += 4) {
    for (let c = 0, p = src, q = dst; c < columns; c++, p += 4, q += d) store<u32>(q, load<u32>(p));
  }
}

function block(src: usize, dst: usize, s: usize, d: usize, scratch: usize): void {
  for (let q = scratch; q < scratch + 64; q += 16, src += s << 2) {
    square(src, q, s, 64);
    square(src + 16, q + 256, s, 64);
    square(src + 32, q + 512, s, 64);
    square(src + 48, q + 768, s, 64);
  }
  for (let p = scratch; p < scratch + 1024; p += 64, dst += d) {
    v128.store(dst, v128.load(p));
    v128.store(dst, v128.load(p, 16), 16);
    v128.store(dst, v128.load(p, 32), 32);
    v128.store(dst, v128.load(p, 48), 48);
  }
}

/** Four rows and columns. */
@inline
function square(p: usize, q: usize, s: usize, d: usize): void {
  const a = v128.load(p), b = v128.load(p + s), x = v128.load(p + 2 * s), y = v128.load(p + 3 * s);
  v128.store(q, column0(a, b, x, y));
  v128.store(q + d, column1(a, b, x, y));
  v128.store(q + 2 * d, column2(a, b, x, y));
  v128.store(q + 3 * d, column3(a, b, x, y));
}

/** One column of `count` rows. */
@inline
function line(p: usize, q: usize, count: i32, s: usize): void {
  for (let i = 0; i < count; i++, p += s, q += 4) store<u32>(q, load<u32>(p));
}
