// Transposition of matrices of 4-byte elements.
import { column0, column1, column2, column3 } from "./transpose4";

/** dst[c * dstStride + r] = src[r * srcStride + c] for each r < rows and c < columns; strides in elements. */
export function transpose(src: usize, dst: usize, rows: i32, columns: i32, srcStride: i32, dstStride: i32): void {
  const s = <usize>srcStride << 2, d = <usize>dstStride << 2;
  let r = 0;
  // Sixteen rows become whole cache lines of the destination.
  for (; r + 16 <= rows; r += 16, src += s << 4, dst += 64) {
    let p = src, q = dst;
    let c = 0;
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

@inline
function square(p: usize, q: usize, s: usize, d: usize): void {
  const a = v128.load(p), b = v128.load(p + s), x = v128.load(p + 2 * s), y = v128.load(p + 3 * s);
  v128.store(q, column0(a, b, x, y));
  v128.store(q + d, column1(a, b, x, y));
  v128.store(q + 2 * d, column2(a, b, x, y));
  v128.store(q + 3 * d, column3(a, b, x, y));
}

@inline
function line(p: usize, q: usize, count: i32, s: usize): void {
  for (let i = 0; i < count; i++, p += s, q += 4) store<u32>(q, load<u32>(p));
}
