// The weights of Winograd's algorithm: G g G^T of every filter g, in the packed form of a product for each point. Two
// filters at a time, in double precision: this is done once, and its rounding would be in every result.
import { gemmPackedBytes, PANEL } from "./gemm-pack";

/** Bytes of two doubles. */
@inline
const PAIR: usize = 16;
/** Where `scratch` has nine taps, three rows of at most six, and six points; 33 pairs. */
@inline
const ROWS: usize = 9 * PAIR;
@inline
const POINTS: usize = 27 * PAIR;

/**
 * Transforms weights whose element (o, i, h, w) is at `src + 4 * (o * strideO + ...)` to `dst`, one packed matrix per
 * point. `scratch` has room for 528 bytes.
 */
export function winogradPack(
  edge: i32,
  src: usize,
  strideO: i32,
  strideI: i32,
  strideH: i32,
  strideW: i32,
  outChannels: i32,
  inChannels: i32,
  dst: usize,
  scratch: usize,
): void {
  const pointBytes = <usize>gemmPackedBytes(inChannels, outChannels);
  const column = <isize>strideO << 2;
  for (let o = 0; o < outChannels; o += PANEL, src += column << 3) {
    for (let i = 0; i < inChannels; i++) {
      let p = src + ((<isize>i * <isize>strideI) << 2);
      for (let j = 0; j < PANEL; j += 2, dst += 8, p += column << 1) {
        const q = o + j < outChannels ? p : 0;
        // The last filter may have no neighbor: what is there is not read, and is the filter again.
        const next = o + j + 1 < outChannels ? column : 0;
        packPair(edge, q, next, <isize>strideH << 2, <isize>strideW << 2, dst, pointBytes, scratch);
      }
    }
  }
}

/** Writes the points of two filters that lie `column` bytes apart; zeros where `src` is null. */
function packPair(
  edge: i32,
  src: usize,
  column: isize,
  rowBytes: isize,
  tapBytes: isize,
  dst: usize,
  pointBytes: usize,
  scratch: usize,
): void {
  // With stride 2 two of five points have the same tap.
  const side = edge == 5 ? 4 : edge;
  if (src == 0) {
    for (let point = side * side; point > 0; point--, dst += pointBytes) store<f64>(dst, 0);
    return;
  }
  for (let h = 0, to = scratch; h < 3; h++, src += rowBytes) {
    for (let w: isize = 0, p = src; w < 3; w++, to += PAIR, p += tapBytes) {
      const taps = v128.load_lane<f32>(p + column, v128.load32_zero(p), 1);
      v128.store(to, f64x2.promote_low_f32x4(taps));
    }
  }
  for (let h: usize = 0; h < 3; h++) transform(edge, scratch + h * 3 * PAIR, PAIR, scratch + ROWS + h * PAIR, 3 * PAIR);
  for (let b: usize = 0; b < <usize>side; b++) {
    transform(edge, scratch + ROWS + b * 3 * PAIR, PAIR, scratch + POINTS, PAIR);
    let to = dst + b * pointBytes;
    for (let a = 0, from = scratch + POINTS; a < side; a++, from += PAIR, to += <usize>side * pointBytes)
      v128.store64_lane(to, f32x4.demote_f64x2_zero(v128.load(from)), 0);
  }
}

/** G times three pairs `stride` bytes apart: four or six pairs `step` bytes apart. */
@inline
function transform(edge: i32, src: usize, stride: usize, dst: usize, step: usize): void {
  const g0 = v128.load(src);
  const g1 = v128.load(src + stride);
  const g2 = v128.load(src + 2 * stride);
  v128.store(dst, g0);
  if (edge == 5) {
    v128.store(dst + step, f64x2.add(g0, g2));
    v128.store(dst + 2 * step, g2);
    v128.store(dst + 3 * step, g1);
  } else if (edge == 4) {
    mirrored(g0, g1, g2, 0.5, 1, 1, dst + step, step);
    v128.store(dst + 3 * step, g2);
  } else {
    mirrored(g0, g1, g2, -1 / 1.5, Math.SQRT1_2, 0.5, dst + step, step);
    mirrored(g0, g1, g2, 1.0 / 6, Math.SQRT2, 2, dst + 3 * step, step);
    v128.store(dst + 5 * step, g2);
  }
}

/** The points x and -x: powers of the point over the product of its distances from the others. */
@inline
function mirrored(g0: v128, g1: v128, g2: v128, factor: f64, x: f64, square: f64, dst: usize, step: usize): void {
  const even = f64x2.add(f64x2.mul(g0, f64x2.splat(factor)), f64x2.mul(g2, f64x2.splat(factor * square)));
  const odd = f64x2.mul(g1, f64x2.splat(factor * x));
  v128.store(dst, f64x2.add(even, odd));
  v128.store(dst + step, f64x2.sub(even, odd));
}
