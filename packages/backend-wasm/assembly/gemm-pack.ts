// The packed form of a matrix B[K,N]: panels of 8 columns, each panel [K][8], the last one padded with zeros.
import { column0, column1, column2, column3 } from "./transpose4";

/** Columns of a panel. */
export const PANEL: i32 = 8;
/** Bytes of one row of a panel. */
@inline
const ROW: usize = 32;

/** Bytes that `gemmPackB` writes. */
export function gemmPackedBytes(K: i32, N: i32): u32 {
  return <u32>((N + PANEL - 1) / PANEL) * <u32>K * <u32>ROW;
}

/** Packs B, whose element (k, n) is at `src + 4 * (k * strideK + n * strideN)`; `dst` is 16-byte aligned. */
export function gemmPackB(src: usize, strideK: i32, strideN: i32, K: i32, N: i32, dst: usize): void {
  const sk = <isize>strideK << 2;
  const sn = <isize>strideN << 2;
  const panelBytes = <usize>K * ROW;
  let n = 0;
  if (strideN == 1) {
    for (; n + 16 <= N; n += 16, src += 64, dst += panelBytes << 1) packRows16(src, sk, K, dst, panelBytes);
    for (; n + 8 <= N; n += 8, src += 32, dst += panelBytes) packRows8(src, sk, K, dst);
  } else if (strideK == 1) {
    for (; n + 8 <= N; n += 8, src += sn << 3, dst += panelBytes) packColumns8(src, sn, K, dst);
  } else {
    for (; n + 8 <= N; n += 8, src += sn << 3, dst += panelBytes) packStrided(src, sk, sn, K, 8, dst);
  }
  if (n < N) packStrided(src, sk, sn, K, N - n, dst);
}

/**
 * Packs B where it is: columns contiguous and one behind the other, N a multiple of 8. The columns of a panel lie where the panel
 * will. `scratch` has room for one.
 */
export function gemmPackInPlace(b: usize, K: i32, N: i32, scratch: usize): void {
  const panelBytes = <usize>K * ROW;
  const column = <isize>K << 2;
  for (const end = b + panelBytes * <usize>(N / PANEL); b < end; b += panelBytes) {
    memory.copy(scratch, b, panelBytes);
    packColumns8(scratch, column, K, b);
  }
}

/** Two panels at once, so that a cache line of a row is read once. */
function packRows16(src: usize, sk: isize, K: i32, dst: usize, panelBytes: usize): void {
  const end = dst + panelBytes;
  for (; dst < end; dst += ROW, src += sk) {
    v128.store(dst, v128.load(src));
    v128.store(dst, v128.load(src, 16), 16);
    const next = dst + panelBytes;
    v128.store(next, v128.load(src, 32));
    v128.store(next, v128.load(src, 48), 16);
  }
}

function packRows8(src: usize, sk: isize, K: i32, dst: usize): void {
  for (let k = 0; k < K; k++, dst += ROW, src += sk) {
    v128.store(dst, v128.load(src));
    v128.store(dst, v128.load(src, 16), 16);
  }
}

/** Eight columns, each contiguous in memory, by 4x4 transpositions. */
function packColumns8(src: usize, sn: isize, K: i32, dst: usize): void {
  let k = 0;
  for (; k + 4 <= K; k += 4, dst += 4 * ROW, src += 16) {
    packColumns4(src, sn, dst);
    packColumns4(src + (sn << 2), sn, dst + 16);
  }
  if (k < K) packStrided(src, 4, sn, K - k, 8, dst);
}

@inline
function packColumns4(src: usize, sn: isize, dst: usize): void {
  const a = v128.load(src);
  const b = v128.load(src + sn);
  const c = v128.load(src + 2 * sn);
  const d = v128.load(src + 3 * sn);
  v128.store(dst, column0(a, b, c, d));
  v128.store(dst, column1(a, b, c, d), ROW);
  v128.store(dst, column2(a, b, c, d), 2 * ROW);
  v128.store(dst, column3(a, b, c, d), 3 * ROW);
}

function packStrided(src: usize, sk: isize, sn: isize, K: i32, columns: i32, dst: usize): void {
  for (let k = 0; k < K; k++, src += sk) {
    let p = src;
    let j = 0;
    for (; j < columns; j++, p += sn, dst += 4) store<f32>(dst, load<f32>(p));
    for (; j < PANEL; j++, dst += 4) store<f32>(dst, 0);
  }
}
