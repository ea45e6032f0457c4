// Attention of a few rows of Q, whose keys and values are float16 or bfloat16 in memory. Products read them themselves; of float16
// that are not all finite some at a time become floats, which the first cache holds.
import { BFLOAT16, FINITE_FLOAT16, FLOAT32, KEYS, mixValues, scoresOfKeys } from "./attention-few";
import { weights } from "./attention-rows";
import { areFinite } from "./linear-half";
import { decodeHalves } from "./small-floats";

/** Bytes of scratch that `attentionHalf` needs for blocks of so many rows. */
export function attentionHalfScratch(block: i32, S: i32, E: i32, Ev: i32): u32 {
  return (<u32>KEYS * <u32>max(E, Ev) + <u32>block * <u32>S) << 2;
}

/**
 * As `attention`, for few rows of Q, in blocks of `attentionBlock` rows. `k` and `v` are bfloat16 where `isBrain` is 1, and
 * float16 where it is 0.
 */
export function attentionHalf(
  isBrain: i32, q: usize, qRow: i32, k: usize, kRow: i32, v: usize, vRow: i32, out: usize, outRow: i32,
  block: i32, S: i32, E: i32, Ev: i32, first: i32, covered: i32, scale: f32,
  mask: usize, maskKind: i32, maskRow: i32, maskColumn: i32, causal: i32, scratch: usize,
): void {
  const maskBytes = <usize>maskRow << (maskKind == 1 ? 2 : 0);
  const scores = scratch + ((<usize>KEYS * <usize>max(E, Ev)) << 2);
  const end = first + covered;
  for (let row = first; row < end; row += block) {
    const count = min(block, end - row);
    const seen = causal ? min(S, row + count) : S;
    const rowBytes = <usize>seen << 2;
    scoresOfHalves(isBrain, q + ((<usize>row * <usize>qRow) << 2), <usize>qRow << 2, k, kRow, scores, count, seen, E, scratch);
    for (let i = 0, p = scores; i < count; i++, p += rowBytes) {
      const n = causal ? min(seen, row + i + 1) : seen;
      weights(p, n, scale, mask + <usize>(row + i) * maskBytes, maskKind, maskColumn);
      if (n < seen) memory.fill(p + (<usize>n << 2), 0, <usize>(seen - n) << 2);
    }
    mixHalves(isBrain, scores, v, vRow, out + ((<usize>row * <usize>outRow) << 2), <usize>outRow << 2, count, seen, Ev, scratch);
  }
}

function scoresOfHalves(
  isBrain: i32, q: usize, qBytes: usize, k: usize, kRow: i32, scores: usize, L: i32, S: i32, E: i32, floats: usize,
): void {
  const rowBytes = <usize>S << 2, kBytes = <usize>kRow << 1;
  for (let left = S; left > 0; left -= KEYS, k += KEYS * kBytes, scores += KEYS << 2) {
    const keys = min(left, KEYS);
    const kind = kindOf(isBrain, k, kBytes, keys, E);
    if (kind == BFLOAT16) scoresOfKeys(BFLOAT16, q, qBytes, k, kBytes, scores, rowBytes, L, keys, E);
    else if (kind == FINITE_FLOAT16) scoresOfKeys(FINITE_FLOAT16, q, qBytes, k, kBytes, scores, rowBytes, L, keys, E);
    else {
      widen(isBrain, k, kBytes, keys, E, floats);
      scoresOfKeys(FLOAT32, q, qBytes, floats, <usize>E << 2, scores, rowBytes, L, keys, E);
    }
  }
}

function mixHalves(
  isBrain: i32, w: usize, v: usize, vRow: i32, out: usize, outBytes: usize, L: i32, S: i32, Ev: i32, floats: usize,
): void {
  const rowBytes = <usize>S << 2, vBytes = <usize>vRow << 1;
  let left = S, adds = false;
  // Without keys there are zeros.
  do {
    const keys = min(left, KEYS);
    const kind = kindOf(isBrain, v, vBytes, keys, Ev);
    if (kind == BFLOAT16) mixValues(BFLOAT16, w, rowBytes, v, vBytes, out, outBytes, L, keys, Ev, adds);
    else if (kind == FINITE_FLOAT16) mixValues(FINITE_FLOAT16, w, rowBytes, v, vBytes, out, outBytes, L, keys, Ev, adds);
    else {
      widen(isBrain, v, vBytes, keys, Ev, floats);
      mixValues(FLOAT32, w, rowBytes, floats, <usize>Ev << 2, out, outBytes, L, keys, Ev, adds);
    }
    left -= KEYS, v += KEYS * vBytes, w += KEYS << 2, adds = true;
  } while (left > 0);
}

/** How products read rows in half precision, `step` bytes apart: as they are, or as the floats that `widen` writes. */
function kindOf(isBrain: i32, from: usize, step: usize, rows: i32, columns: i32): i32 {
  if (columns & 3) return FLOAT32;
  if (isBrain) return BFLOAT16;
  const bytes = <usize>columns << 1;
  for (let i = 0; i < rows; i++, from += step) if (!areFinite(from, bytes)) return FLOAT32;
  return FINITE_FLOAT16;
}

/** Writes rows in half precision, `step` bytes apart, as dense floats. */
function widen(isBrain: i32, from: usize, step: usize, rows: i32, columns: i32, to: usize): void {
  for (let i = 0; i < rows; i++, from += step, to += <usize>columns << 2) {
    if (isBrain) widenRow(true, from, columns, to);
    else widenRow(false, from, columns, to);
  }
}

@inline
function widenRow(isBrain: bool, from: usize, columns: i32, to: usize): void {
  const whole = from + (<usize>(columns & ~7) << 1), end = from + (<usize>columns << 1);
  for (; from < whole; from += 16, to += 32) {
    const halves = v128.load(from);
    v128.store(to, decodeHalves(i32x4.extend_low_i16x8_u(halves), isBrain));
    v128.store(to, decodeHalves(i32x4.extend_high_i16x8_u(halves), isBrain), 16);
  }
  for (; from < end; from += 2, to += 4) {
    v128.store_lane<f32>(to, decodeHalves(i32x4.splat(<i32>load<u16>(from)), isBrain), 0);
  }
}
