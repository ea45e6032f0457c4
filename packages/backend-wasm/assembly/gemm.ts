// C[M,N] = A[M,K] · B[K,N] with B packed by `gemmPackB`.
import { PANEL } from "./gemm-pack";
import { ACCUMULATE, BIAS_ROWS, CLAMP, SEGMENT, tile, tileRow } from "./gemm-tile";
import { FETCHES, fetch, sharedLines } from "./prefetch";

/** Steps of K that are added up before the sum goes to C: shorter sums round less. With 128 networks are as near to the truth as PyTorch. */
const K_BLOCK: i32 = 128;
/** Steps of K whose part of a panel, 24 kB, stays in the first cache while all rows pass over it. */
const K_HELD: i32 = 768;
/** The same of a longer K, which is added up in parts in any case: there is room for the part that is fetched, too. */
const K_PART: i32 = 512;
/** Bytes of a packed B above which it is taken to come from memory. */
const FAR_BYTES: usize = 256 * 1024;
/** Rows of A, about 640 kB at most, that stay in the second cache while all panels pass over them. */
const M_BLOCK: i32 = 208;

/**
 * C = clamp(A·B + bias + C). `lda` and `ldc` count elements, a row of A is contiguous. `bias` may be 0; it has N
 * elements. `flags`: 1 adds what C holds, 2 clamps to [lo, hi], 4 makes the bias one of M elements, added along rows.
 * A NaN passes through the clamp.
 */
export function gemmPacked(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, c: usize, ldc: i32,
  bias: usize, flags: i32, lo: f32, hi: f32,
): void {
  gemmPanels(M, N, K, a, lda, b, K, c, ldc, bias, flags, lo, hi);
}

/** As `gemmPacked` over the first K of the `packedK` rows of a packed B. */
export function gemmPanels(
  M: i32, N: i32, K: i32, a: usize, lda: i32, b: usize, packedK: i32, c: usize, ldc: i32,
  bias: usize, flags: i32, lo: f32, hi: f32,
): void {
  // A single tile of rows uses each panel once: it reads B from end to end.
  const kBlock = M <= 4 ? K : (even(K, K_BLOCK) + 7) & ~7;
  const held = kBlock * max((K > K_HELD ? K_PART : K_HELD) / max(kBlock, 1), 1);
  const mBlock = (even(M, M_BLOCK) + TILE_ROWS - 1) / TILE_ROWS * TILE_ROWS;
  const panelBytes = <usize>packedK << 5;
  let k = 0;
  do {
    const steps = min(held, K - k);
    const now = (k ? (flags | ACCUMULATE) : flags) & (k + steps < K ? ~CLAMP : -1);
    const biasNow: usize = k ? 0 : bias;
    for (let m = 0, rows = 0; m < M; m += rows) {
      // What would be left of a tile goes with the last block: a row alone would be added up in another order.
      rows = M - m <= mBlock + TILE_ROWS ? M - m : mBlock;
      const aBlock = a + ((<usize>m * <usize>lda + <usize>k) << 2);
      const cBlock = c + ((<usize>m * <usize>ldc) << 2);
      const biasBlock = biasNow && flags & BIAS_ROWS ? biasNow + (<usize>m << 2) : biasNow;
      block(rows, N, steps, kBlock, aBlock, <usize>lda << 2, b + (<usize>k << 5), panelBytes, cBlock, <usize>ldc << 2, biasBlock, now, lo, hi);
    }
    k += steps;
  } while (k < K);
}

/** The size of equal blocks, none above `limit`, that cover `total`. */
@inline
function even(total: i32, limit: i32): i32 {
  const blocks = max((total + limit - 1) / limit, 1);
  return (total + blocks - 1) / blocks;
}

/** A block of rows against every panel; strides in bytes. */
function block(
  M: i32, N: i32, K: i32, kBlock: i32, a: usize, lda: usize, b: usize, panelBytes: usize, c: usize, ldc: usize,
  bias: usize, flags: i32, low: f32, high: f32,
): void {
  const lo = f32x4.splat(low), hi = f32x4.splat(high);
  const perColumn = bias && !(flags & BIAS_ROWS);
  if (M == 1) {
    const quarter = ((N + PANEL - 1) / PANEL + 3) >> 2;
    for (let n = 0; n < quarter; n++, b += panelBytes, c += 32) {
      tileRow(K, a, b, quarter, panelBytes, c, N - n * PANEL, bias, flags, lo, hi);
      if (perColumn) bias += 32;
    }
    return;
  }
  const biasRow: usize = bias && !perColumn ? 4 : 0;
  const fetches = FETCHES && M > 2 * TILE_ROWS && K > 0;
  // Fewer rows read a panel at once, before they multiply it: what it takes from memory cannot be hidden behind so little. Up to
  // four rows read panels as fast as memory gives them.
  const isFar = FETCHES && !fetches && M > 4 && panelBytes * <usize>((N + PANEL - 1) / PANEL) > FAR_BYTES;
  const segments = (K + SEGMENT - 1) / SEGMENT;
  const tilesOfPanel = (M + TILE_ROWS - 1) / TILE_ROWS;
  const share: usize = fetches ? sharedLines(<usize>K << 5, <usize>(segments * tilesOfPanel)) : 0;
  const shares = share * <usize>segments;
  for (let n = 0; n < N; n += PANEL, b += panelBytes, c += 32) {
    const columns = N - n;
    let am = a, cm = c, biasM = bias;
    let rows = M;
    let next = b + panelBytes;
    const end = fetches && columns > PANEL ? next + (<usize>K << 5) : next;
    if (isFar) fetch(b, b + (<usize>K << 5));
    // A tile of one row would wait for its own sums: five rows left are 3 + 2, seven are 4 + 3.
    if (TILE_ROWS > 4) {
      while (rows >= TILE_ROWS && rows != TILE_ROWS + 1) {
        tiles(TILE_ROWS, K, kBlock, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi, next, end, share);
        next += shares, am += TILE_ROWS * lda, cm += TILE_ROWS * ldc, biasM += TILE_ROWS * biasRow, rows -= TILE_ROWS;
      }
    }
    while (rows >= 4 && rows != 5) {
      tiles(4, K, kBlock, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi, next, end, share);
      next += shares, am += 4 * lda, cm += 4 * ldc, biasM += 4 * biasRow, rows -= 4;
    }
    if (rows == 5) {
      tiles(3, K, kBlock, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi, next, end, share);
      next += shares, am += 3 * lda, cm += 3 * ldc, biasM += 3 * biasRow, rows -= 3;
    }
    if (rows == 3) tiles(3, K, kBlock, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi, next, end, share);
    else if (rows == 2) tiles(2, K, kBlock, am, lda, b, cm, ldc, columns, biasM, flags, lo, hi, next, end, share);
    if (perColumn) bias += 32;
  }
}

/** A tile of up to four rows, its sums of `kBlock` steps one after the other. */
@inline
function tiles(
  rows: i32, K: i32, kBlock: i32, a: usize, lda: usize, b: usize, c: usize, ldc: usize,
  columns: i32, bias: usize, flags: i32, lo: v128, hi: v128, next: usize, end: usize, share: usize,
): void {
  for (;;) {
    const steps = min(K, kBlock);
    K -= steps;
    tile(rows, steps, a, lda, b, c, ldc, columns, bias, K ? flags & ~CLAMP : flags, lo, hi, next, end, share);
    next += share * <usize>((steps + SEGMENT - 1) / SEGMENT);
    if (!K) break;
    a += <usize>steps << 2, b += <usize>steps << 5;
    bias = 0, flags |= ACCUMULATE;
  }
}
