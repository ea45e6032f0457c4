import { clamp } from "./conv-vector";
import { biasVector, groupOffset, Taps } from "./depthwise-taps";
import { multiplyAdd } from "./multiply-add";

/**
 * Four neighboring outputs for all channels, any kernel width, stride and dilation; every column tap lies inside the
 * input. A weight vector is loaded once for the four of them. Eight sums hide the latency of the additions, which a processor
 * that looks ahead to the next four channels hides by itself only where there are few taps.
 */
export function blockAny(taps: Taps, src: usize, weights: usize, bias: usize, dst: usize, lo: f32, hi: f32): void {
  const channels = taps.channels;
  const groups = (channels + 3) >> 2;
  for (let group = 0; group < groups; ) {
    const at = groupOffset(group, channels);
    const p = src + at, q = weights + <usize>group * taps.groupStep;
    const isPair = <i32>(at >> 2) + 8 <= channels;
    if (isPair) columns(2, taps, p, q, bias, at, dst + at, lo, hi);
    else columns(1, taps, p, q, bias, at, dst + at, lo, hi);
    group += isPair ? 2 : 1;
  }
}

/** Four neighboring outputs of four or eight channels. */
@inline
function columns(
  groups: i32, taps: Taps, src: usize, weights: usize, bias: usize, at: usize, dst: usize, lo: f32, hi: f32,
): void {
  const low = f32x4.splat(lo), high = f32x4.splat(hi);
  const step = taps.outputStep, outStep = taps.outPixel, columnStep = taps.columnStep, next = taps.groupStep;
  let s0 = biasVector(bias, at), s1 = s0, s2 = s0, s3 = s0;
  let t0 = groups > 1 ? biasVector(bias, at + 16) : s0, t1 = t0, t2 = t0, t3 = t0;
  for (let d = 0; d < taps.planes; d++) {
    let q = weights + <usize>d * taps.weightPlaneStep;
    let line = src + <usize>d * taps.planeStep;
    for (let r = 0; r < taps.rows; r++, line += taps.rowStep) {
      let p0 = line;
      let p1 = p0 + step;
      let p2 = p1 + step;
      let p3 = p2 + step;
      for (const end = q + (<usize>taps.columns << 4); q < end; q += 16) {
        const w = v128.load(q);
        s0 = multiplyAdd(s0, v128.load(p0), w);
        s1 = multiplyAdd(s1, v128.load(p1), w);
        s2 = multiplyAdd(s2, v128.load(p2), w);
        s3 = multiplyAdd(s3, v128.load(p3), w);
        if (groups > 1) {
          const v = v128.load(q + next);
          t0 = multiplyAdd(t0, v128.load(p0, 16), v);
          t1 = multiplyAdd(t1, v128.load(p1, 16), v);
          t2 = multiplyAdd(t2, v128.load(p2, 16), v);
          t3 = multiplyAdd(t3, v128.load(p3, 16), v);
        }
        p0 += columnStep;
        p1 += columnStep;
        p2 += columnStep;
        p3 += columnStep;
      }
    }
  }
  for (let i = 0; i < groups; i++, dst += 16) {
    let out = dst;
    v128.store(out, clamp(i ? t0 : s0, low, high));
    v128.store((out += outStep), clamp(i ? t1 : s1, low, high));
    v128.store((out += outStep), clamp(i ? t2 : s2, low, high));
    v128.store((out += outStep), clamp(i ? t3 : s3, low, high));
  }
}
