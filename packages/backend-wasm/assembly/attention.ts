// softmax(Q·Kᵀ * scale + mask)·V for one head, over blocks of rows whose scores stay in the cache.
import { weights } from "./attention-rows";
import { gemmPanels } from "./gemm";
import { gemmPackB, gemmPackedBytes } from "./gemm-pack";
import { multiplyAdd } from "./multiply-add";

/** Floats of scores that are held at a time. */
const SCORES: i32 = 32768;
/** Fewer rows of Q than this do not pay for packing K and V. */
const DIRECT_ROWS: i32 = 3;

/** Rows of Q whose scores are held at a time. A head may be divided between blocks: results depend on where they begin. */
export function attentionBlock(L: i32, S: i32): i32 {
  const most = max(1, min(64, SCORES / max(S, 1)) / TILE_ROWS) * TILE_ROWS;
  const blocks = max(1, (L + most - 1) / most);
  return min(L, (L + blocks * TILE_ROWS - 1) / (blocks * TILE_ROWS) * TILE_ROWS);
}

/** Bytes of scratch that `attention` needs. */
export function attentionScratch(L: i32, S: i32, E: i32, Ev: i32): u32 {
  return gemmPackedBytes(E, S) + gemmPackedBytes(S, Ev) + (<u32>attentionBlock(L, S) * <u32>S << 2);
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
  const packedV = scratch + gemmPackedBytes(E, S);
  const scores = packedV + gemmPackedBytes(S, Ev);
  const direct = L < DIRECT_ROWS;
  if (!direct) {
    gemmPackB(k, 1, kRow, E, S, scratch);
    gemmPackB(v, vRow, 1, S, Ev, packedV);
  }
  const rows = attentionBlock(L, S);
  const end = first + covered;
  for (let row = first; row < end; row += rows) {
    const count = min(rows, end - row);
    const seen = causal ? min(S, row + count) : S;
    const qBlock = q + ((<usize>row * <usize>qRow) << 2);
    if (direct) scoresOf(qBlock, qRow, k, kRow, scores, count, seen, E);
    else gemmPanels(count, seen, E, qBlock, qRow, scratch, E, scores, seen, 0, 0, 0, 0);
    for (let i = 0, p = scores; i < count; i++, p += <usize>seen << 2) {
      const n = causal ? min(seen, row + i + 1) : seen;
      weights(p, n, scale, mask + <usize>(row + i) * maskBytes, maskKind, maskColumn);
      if (n < seen) memory.fill(p + (<usize>n << 2), 0, <usize>(seen - n) << 2);
    }
    const outBlock = out + ((<usize>row * <usize>outRow) << 2);
    if (direct) mix(scores, v, vRow, outBlock, outRow, count, seen, Ev);
    else gemmPanels(count, Ev, seen, scores, seen, packedV, S, outBlock, outRow, 0, 0, 0, 0);
  }
}

/** Scores of a few rows, one dot product each. */
function scoresOf(q: usize, qRow: i32, k: usize, kRow: i32, dst: usize, L: i32, S: i32, E: i32): void {
  const whole = <usize>(E & ~3) << 2, bytes = <usize>E << 2;
  for (let i = 0; i < L; i++, q += <usize>qRow << 2) {
    for (let j = 0, p = k; j < S; j++, p += <usize>kRow << 2, dst += 4) {
      let sums = f32x4.splat(0);
      let e: usize = 0;
      for (; e < whole; e += 16) sums = multiplyAdd(sums, v128.load(q + e), v128.load(p + e));
      sums = f32x4.add(sums, v128.shuffle<i32>(sums, sums, 2, 3, 0, 1));
      let sum = f32x4.extract_lane(sums, 0) + f32x4.extract_lane(sums, 1);
      for (; e < bytes; e += 4) sum += load<f32>(q + e) * load<f32>(p + e);
      store<f32>(dst, sum);
    }
  }
}

/** The rows of V weighted and added up, for a few rows of weights. */
function mix(w: usize, v: usize, vRow: i32, dst: usize, dstRow: i32, L: i32, S: i32, Ev: i32): void {
  const whole = <usize>(Ev & ~3) << 2, bytes = <usize>Ev << 2;
  for (let i = 0; i < L; i++, w += <usize>S << 2, dst += <usize>dstRow << 2) {
    memory.fill(dst, 0, bytes);
    for (let j = 0, p = v; j < S; j++, p += <usize>vRow << 2) {
      const factor = load<f32>(w + (<usize>j << 2));
      const x = f32x4.splat(factor);
      let e: usize = 0;
      for (; e < whole; e += 16) v128.store(dst + e, multiplyAdd(v128.load(dst + e), x, v128.load(p + e)));
      for (; e < bytes; e += 4) store<f32>(dst + e, load<f32>(dst + e) + factor * load<f32>(p + e));
    }
  }
}
