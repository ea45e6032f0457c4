// What products of float64 and of integers read: B in panels of as many columns as 32 bytes of C have, and int8 rows widened.

/** Bytes of a panel whose elements have `size` bytes. Of int8 there are eight columns, and K is even. */
@inline
export function productPanel(K: i32, size: i32): usize {
  return size == 1 ? <usize>((K + 1) & ~1) << 3 : <usize>K << 5;
}

/** Packs B, whose element (k, n) is at `src + 8 * (k * strideK + n * strideN)`: four columns to a panel, zeros behind the last. */
export function productPack8(src: usize, strideK: i32, strideN: i32, K: i32, N: i32, dst: usize): void {
  const sk = <isize>strideK << 3, sn = <isize>strideN << 3;
  for (let n = 0; n < N; n += 4, src += sn << 2) {
    let from = src;
    for (let k = 0; k < K; k++, from += sk, dst += 32) {
      for (let j = 0; j < 4; j++) store<i64>(dst + (<usize>j << 3), n + j < N ? load<i64>(from + j * sn) : 0);
    }
  }
}

/** Packs B of int8: eight columns to a panel, in which pairs along K are neighbors. */
export function productPack1(src: usize, strideK: i32, strideN: i32, K: i32, N: i32, dst: usize): void {
  const sk = <isize>strideK, sn = <isize>strideN;
  for (let n = 0; n < N; n += 8, src += sn << 3) {
    let from = src;
    for (let k = 0; k < K; k += 2, from += sk << 1, dst += 16) {
      for (let j = 0; j < 8; j++) {
        const at = from + j * sn, to = dst + (<usize>j << 1), isThere = n + j < N;
        store<i8>(to, isThere ? load<i8>(at) : 0);
        store<i8>(to + 1, isThere && k + 1 < K ? load<i8>(at + sk) : 0);
      }
    }
  }
}

/** Widens rows of int8, or uint8, to int16; each gets a zero behind it if K is odd. */
export function productWiden(src: usize, M: i32, K: i32, isSigned: i32, dst: usize): void {
  for (let m = 0; m < M; m++) {
    let k = 0;
    for (; k + 8 <= K; k += 8, src += 8, dst += 16) v128.store(dst, isSigned ? v128.load8x8_s(src) : v128.load8x8_u(src));
    for (; k < K; k++, src++, dst += 2) store<i16>(dst, isSigned ? <i16>load<i8>(src) : <i16>load<u8>(src));
    if (K & 1) {
      store<i16>(dst, 0);
      dst += 2;
    }
  }
}
