// softmax(Q·Kᵀ * scale + mask)·V for one head, over blocks of rows whose scores stay in the cache.
import { mixFew, scoresOfFew } from "./attention-few";
import { weights } from "./attention-rows";
import { gemmPanels } from "./gemm";
import { gemmPackB, gemmPackedBytes } from "./gemm-pack";

/** Floats of scores that are held at a time. */
const SCORES: i32 = 32768;
/** Rows of Q that do not pay for packing K and V. */
const FEW_ROWS: i32 = 8;

/** Rows of Q whose scores are held at a time. A head may be divided between blocks: results depend on where they begin. */
export function attentionBlock(L: i32, S: i32): i32 {
  const most = max(1, min(64, SCORES / max(S, 1)) / TILE_ROWS) * TILE_ROWS;
  const blocks = max(1, (L + most - 1) / most);
  return min(L, (L + blocks * TILE_ROWS - 1) / (blocks * TILE_ROWS) * TILE_ROWS);
}

/** Bytes of scratch that `attention` needs. */
export function attentionScratch(L: i32, S: i32, E: i32, Ev: i32): u32 {
  const packed = L <= FEW_ROWS ? 0 : gemmPackedBytes(E, S) + gemmPackedBytes(S, Ev);
  return packed + (<u32>attentionBlock(L, S) * <u32>S << 2);
}

/**
 * out[L,Ev] from q[L,E], k[S,E] and v[S,Ev], whose rows are contiguous and `*Row` elements apart. `maskKind`: 0 none, 1 floats
 * that are added, 2 bytes of which 0 keeps a key out; its strides count elements and may be 0. `causal`: row i sees
 * keys 0 to i. A row that may see no key gives zeros. Computes `covered` rows from `first` on, which begins a block.
 */
export function attention(
  q: usize, qRow: i32, k: usize, kRow: i32, v: usize, vRow: i32, out: usize, outRow: i32,
  L: i32, S: i32, E: i32, Ev: i32, first: i32, covered: i32, scale: f32,
  mask: usize, maskKind: i32, maskRow: i32, maskColumn: i32, causal: i32, scratch: usize,
): void {
  const maskBytes = <usize>maskRow << (maskKind == 1 ? 2 : 0);
  const areFew = L <= FEW_ROWS;
  const packedV = scratch + (areFew ? 0 : gemmPackedBytes(E, S));
  const scores = packedV + (areFew ? 0 : gemmPackedBytes(S, Ev));
  if (!areFew) {
    gemmPackB(k, 1, kRow, E, S, scratch);
    gemmPackB(v, vRow, 1, S, Ev, packedV);
  }
  const rows = attentionBlock(L, S);
  const end = first + covered;
  for (let row = first; row < end; row += rows) {
    const count = min(rows, end - row);
    const seen = causal ? min(S, row + count) : S;
    const qBlock = q + ((<usize>row * <usize>qRow) << 2);
    if (areFew) scoresOfFew(qBlock, qRow, k, kRow, scores, count, seen, E);
    else gemmPanels(count, seen, E, qBlock, qRow, scratch, E, scores, seen, 0, 0, 0, 0);
    for (let i = 0, p = scores; i < count; i++, p += <usize>seen << 2) {
      const n = causal ? min(seen, row + i + 1) : seen;
      weights(p, n, scale, mask + <usize>(row + i) * maskBytes, maskKind, maskColumn);
      if (n < seen) memory.fill(p + (<usize>n << 2), 0, <usize>(seen - n) << 2);
    }
    const outBlock = out + ((<usize>row * <usize>outRow) << 2);
    if (areFew) mixFew(scores, v, vRow, outBlock, outRow, count, seen, Ev);
    else gemmPanels(count, Ev, seen, scores, seen, packedV, S, outBlock, outRow, 0, 0, 0, 0);
  }
}
