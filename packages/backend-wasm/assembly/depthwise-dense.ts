import { clamp } from "./conv-vector";
import { biasVector, groupOffset, Taps } from "./depthwise-taps";
import { multiplyAdd } from "./multiply-add";

// Four neighboring outputs for all channels with stride and dilation 1, every column tap inside the input.

/** Three columns wide: six input columns serve twelve products. */
export function block3(taps: Taps, src: usize, weights: usize, bias: usize, dst: usize, lo: f32, hi: f32): void {
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
        s1 = multiplyAdd(s1, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w2);
        s1 = multiplyAdd(s1, x, w1);
        s2 = multiplyAdd(s2, x, w0);
        x = v128.load((p += step));
        s1 = multiplyAdd(s1, x, w2);
        s2 = multiplyAdd(s2, x, w1);
        s3 = multiplyAdd(s3, x, w0);
        x = v128.load((p += step));
        s2 = multiplyAdd(s2, x, w2);
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

/** Five columns wide: eight input columns serve twenty products. */
export function block5(taps: Taps, src: usize, weights: usize, bias: usize, dst: usize, lo: f32, hi: f32): void {
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
      for (let r = 0; r < taps.rows; r++, line += taps.rowStep, q += 80) {
        const w0 = v128.load(q);
        const w1 = v128.load(q, 16);
        const w2 = v128.load(q, 32);
        const w3 = v128.load(q, 48);
        const w4 = v128.load(q, 64);
        let p = line;
        let x = v128.load(p);
        s0 = multiplyAdd(s0, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w1);
        s1 = multiplyAdd(s1, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w2);
        s1 = multiplyAdd(s1, x, w1);
        s2 = multiplyAdd(s2, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w3);
        s1 = multiplyAdd(s1, x, w2);
        s2 = multiplyAdd(s2, x, w1);
        s3 = multiplyAdd(s3, x, w0);
        x = v128.load((p += step));
        s0 = multiplyAdd(s0, x, w4);
        s1 = multiplyAdd(s1, x, w3);
        s2 = multiplyAdd(s2, x, w2);
        s3 = multiplyAdd(s3, x, w1);
        x = v128.load((p += step));
        s1 = multiplyAdd(s1, x, w4);
        s2 = multiplyAdd(s2, x, w3);
        s3 = multiplyAdd(s3, x, w2);
        x = v128.load((p += step));
        s2 = multiplyAdd(s2, x, w4);
        s3 = multiplyAdd(s3, x, w3);
        x = v128.load((p += step));
        s3 = multiplyAdd(s3, x, w4);
      }
    }
    let out = dst + at;
    v128.store(out, clamp(s0, low, high));
    v128.store((out += outStep), clamp(s1, low, high));
    v128.store((out += outStep), clamp(s2, low, high));
    v128.store((out += outStep), clamp(s3, low, high));
  }
}
