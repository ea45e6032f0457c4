import { clamp } from "./conv-vector";
import { biasVector, groupOffset, Taps } from "./depthwise-taps";
import { multiplyAdd } from "./multiply-add";

/**
 * Four neighboring outputs for all channels, three columns wide, stride 2 and dilation 1, every column tap inside the
 * input: nine input columns serve twelve products. (Five columns wide, this gains nothing over `blockAny`.)
 */
export function block3Stride2(taps: Taps, src: usize, weights: usize, bias: usize, dst: usize, lo: f32, hi: f32): void {
  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const channels = taps.channels;
  const groups = (channels + 3) >> 2;
  const step = taps.columnStep;
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
      for (let r = 0; r < taps.rows; r++, line += taps.rowStep, q += 48) {
        const w0 = v128.load(q);
        const w1 = v128.load(q, 16);
        const w2 = v128.load(q, 32);
        let p = line;
        let x = v128.load(p);
        s0 = multiplyAdd(s0, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w1);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w2);
        s1 = multiplyAdd(s1, x, w0);
        x = v128.load((p += step));
        s1 = multiplyAdd(s1, x, w1);
        x = v128.load((p += step));
        s1 = multiplyAdd(s1, x, w2);
        s2 = multiplyAdd(s2, x, w0);
        x = v128.load((p += step));
        s2 = multiplyAdd(s2, x, w1);
        x = v128.load((p += step));
        s2 = multiplyAdd(s2, x, w2);
        s3 = multiplyAdd(s3, x, w0);
        x = v128.load((p += step));
        s3 = multiplyAdd(s3, x, w1);
        x = v128.load((p += step));
        s3 = multiplyAdd(s3, x, w2);
      }
    }
    let out = dst + at;
    v128.store(out, clamp(s0, low, high));
    v128.store((out += outStep), clamp(s1, low, high));
    v128.store((out += outStep), clamp(s2, low, high));
    v128.store((out += outStep), clamp(s3, low, high));
  }
}
