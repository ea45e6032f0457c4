import { clamp } from "./conv-vector";
import { biasVector, groupOffset, Taps } from "./depthwise-taps";
import { multiplyAdd } from "./multiply-add";

/**
 * Four neighboring outputs for all channels, any kernel width, stride and dilation; every column tap lies inside the
 * input. A weight vector is loaded once for the four of them.
 */
export function blockAny(taps: Taps, src: usize, weights: usize, bias: usize, dst: usize, lo: f32, hi: f32): void {
  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const channels = taps.channels;
  const groups = (channels + 3) >> 2;
  const step = taps.outputStep;
  const outStep = taps.outPixel;
  for (let group = 0; group < groups; group++) {
    const at = groupOffset(group, channels);
    let s0 = biasVector(bias, at);
    let s1 = s0;
    let s2 = s0;
    let s3 = s0;
    for (let d = 0; d < taps.planes; d++) {
      let q = weights + <usize>group * taps.groupStep + <usize>d * taps.weightPlaneStep;
      let line = src + at + <usize>d * taps.planeStep;
      for (let r = 0; r < taps.rows; r++, line += taps.rowStep) {
        let p0 = line;
        let p1 = p0 + step;
        let p2 = p1 + step;
        let p3 = p2 + step;
        for (let k = 0; k < taps.columns; k++, q += 16) {
          const w = v128.load(q);
          s0 = multiplyAdd(s0, v128.load(p0), w);
          s1 = multiplyAdd(s1, v128.load(p1), w);
          s2 = multiplyAdd(s2, v128.load(p2), w);
          s3 = multiplyAdd(s3, v128.load(p3), w);
          p0 += taps.columnStep;
          p1 += taps.columnStep;
          p2 += taps.columnStep;
          p3 += taps.columnStep;
        }
      }
    }
    let out = dst + at;
    v128.store(out, clamp(s0, low, high));
    v128.store((out += outStep), clamp(s1, low, high));
    v128.store((out += outStep), clamp(s2, low, high));
    v128.store((out += outStep), clamp(s3, low, high));
  }
}
