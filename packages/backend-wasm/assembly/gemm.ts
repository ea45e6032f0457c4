// C[M,N] = A[M,K] · B[K,N] with B packed by `gemmPackB`.
import { PANEL } from "./gemm-pack";
import { ACCUMULATE, BIAS_ROWS, CLAMP, tile1, tile2, tile3, tile4, tile5 } from "./gemm-tile";

/** Steps of K for which a panel (16 KB) stays in the first cache while all rows pass over it. */
const K_BLOCK: i32 = 512;
/** Rows of A that stay in the second cache while all panels pass over them. */
const M_BLOCK: i32 = 120;

/**
 * C = clamp(A·B + bias + C). `lda` and `ldc` count elements, a row of A is contiguous. `bias` may be 0; it has N
 * elements. `flags`: 1 adds what C holds, 2 clamps to [lo, hi], 4 makes the bias one of M elements, added along rows.
 * A NaN passes through the clamp.
 */
export function gemmPacked(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32,
  bias: usize, flags: i32, lo: f32, hi: f32,
): void {
  const blocks = max((K + K_BLOCK - 1) / K_BLOCK, 1);
  const kBlock = ((K + blocks - 1) / blocks + 7) & ~7;
  const panelBytes = <usize>K << 5;
  let k = 0;
  do {
    const steps = min(kBlock, K - k);
    const now = (k ? (flags | ACCUMULATE) : flags) & (k + steps < K ? ~CLAMP : -1);
    const biasNow: usize = k ? 0 : bias;
    for (let m = 0; m < M; m += M_BLOCK) {
      const rows = min(M_BLOCK, M - m);
      const aBlock = a + ((<usize>m * <usize>lda + <usize>k) << 2);
      const cBlock = c + ((<usize>m * <usize>ldc) << 2);
      const biasBlock = biasNow && flags & BIAS_ROWS ? biasNow + (<usize>m << 2) : biasNow;
      block(rows, N, steps, aBlock, <usize>lda << 2, b + (<usize>k << 5), panelBytes, cBlock, <usize>ldc << 2, biasBlock, now, lo, hi);
    }
    k += steps;
  } while (k < K);
}

/** A block of rows against every panel; strides in bytes. */
function block(
  M: i32, N: i32, K: i32, a: usize, lda: usize, b: usize, panelBytes: usize, c: usize, ldc: usize,
  bias: usize, flags: i32, low: f32, high: f32,
): void {
  const lo = f32x4.splat(low), hi = f32x4.splat(high);
  const perColumn = bias && !(flags & BIAS_ROWS);
  const biasRow: usize = bias && !perColumn ? 4 : 0;
  for (let n = 0; n < N; n += PANEL, b += panelBytes, c += 32) {
    const columns = N - n;
    let am = a, cm = c, biasM = bias;
    let rows = M;
    // Six rows left are 3 + 3: a tile of one row alone would wait for its own sums.
    while (rows >= 5 && rows != 6) {
      tile5(K, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi);
      am += 5 * lda, cm += 5 * ldc, biasM += 5 * biasRow, rows -= 5;
    }
    if (rows == 6) {
      tile3(K, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi);
      am += 3 * lda, cm += 3 * ldc, biasM += 3 * biasRow, rows -= 3;
    }
    if (rows == 4) tile4(K, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi);
    else if (rows == 3) tile3(K, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi);
    else if (rows == 2) tile2(K, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi);
    else if (rows == 1) tile1(K, am, b, cm, columns, biasM, flags, lo, hi);
    if (perColumn) bias += 32;
  }
}
