import { clamp } from "./conv-vector";
import { biasVector, groupOffset, Taps } from "./depthwise-taps";
import { multiplyAdd } from "./multiply-add";

/** One output at a border: column taps [k0, k1) only. Four channel groups at once hide the latency of the additions. */
export function single(
  taps: Taps,
  src: usize,
  weights: usize,
  bias: usize,
  dst: usize,
  k0: i32,
  k1: i32,
  lo: f32,
  hi: f32,
): void {
  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const channels = taps.channels;
  const groups = (channels + 3) >> 2;
  const groupStep = taps.groupStep;
  const first = <usize>k0 * taps.columnStep;
  const firstWeight = <usize>k0 << 4;
  let group = 0;
  for (; group + 4 <= channels >> 2; group += 4) {
    const at = <usize>group << 4;
    let s0 = biasVector(bias, at);
    let s1 = biasVector(bias, at + 16);
    let s2 = biasVector(bias, at + 32);
    let s3 = biasVector(bias, at + 48);
    for (let d = 0; d < taps.planes; d++) {
      for (let r = 0; r < taps.rows; r++) {
        let p = src + at + first + <usize>d * taps.planeStep + <usize>r * taps.rowStep;
        let q = weights + <usize>group * groupStep + <usize>d * taps.weightPlaneStep + firstWeight;
        q += <usize>(r * taps.columns) << 4;
        for (let k = k0; k < k1; k++) {
          s0 = multiplyAdd(s0, v128.load(p), v128.load(q));
          s1 = multiplyAdd(s1, v128.load(p, 16), v128.load(q + groupStep));
          s2 = multiplyAdd(s2, v128.load(p, 32), v128.load(q + 2 * groupStep));
          s3 = multiplyAdd(s3, v128.load(p, 48), v128.load(q + 3 * groupStep));
          p += taps.columnStep;
          q += 16;
        }
      }
    }
    v128.store(dst + at, clamp(s0, low, high));
    v128.store(dst + at, clamp(s1, low, high), 16);
    v128.store(dst + at, clamp(s2, low, high), 32);
    v128.store(dst + at, clamp(s3, low, high), 48);
  }
  for (; group < groups; group++) {
    const at = groupOffset(group, channels);
    let sum = biasVector(bias, at);
    for (let d = 0; d < taps.planes; d++) {
      for (let r = 0; r < taps.rows; r++) {
        let p = src + at + first + <usize>d * taps.planeStep + <usize>r * taps.rowStep;
        let q = weights + <usize>group * groupStep + <usize>d * taps.weightPlaneStep + firstWeight;
        q += <usize>(r * taps.columns) << 4;
        for (let k = k0; k < k1; k++) {
          sum = multiplyAdd(sum, v128.load(p), v128.load(q));
          p += taps.columnStep;
          q += 16;
        }
      }
    }
    v128.store(dst + at, clamp(sum, low, high));
  }
}
