import { clamp } from "./conv-vector";
import { endTap, firstTap, floats, Window } from "./conv-window";

/** The number after `at` numbers of those that repeat, of which there are `count`. */
@inline
function repeated(numbers: usize, at: i32, count: i32): f32 {
  return numbers ? load<f32>(numbers + floats(at % count)) : 0;
}

/** Four numbers, from the one after `at` on. */
@inline
function fourRepeated(numbers: usize, at: i32, count: i32): v128 {
  const a = f32x4.splat(repeated(numbers, at, count));
  const b = f32x4.replace_lane(a, 1, repeated(numbers, at + 1, count));
  const c = f32x4.replace_lane(b, 2, repeated(numbers, at + 2, count));
  return f32x4.replace_lane(c, 3, repeated(numbers, at + 3, count));
}

/**
 * Depthwise convolution with multiplier 1, up to three channels and stride 1 along a row: output image rows as in `depthwiseRows`.
 * Where pixels lie side by side, what a tap reads for neighboring outputs does so too, and twelve floats, whole pixels, are computed at
 * a time. Weights are packed as [tap][12], the channels' over and over. Sums are those of `depthwiseRowsScalar`.
 */
export function depthwiseRowsFew(
  window: usize, input: usize, weights: usize, bias: usize, rowStart: i32, rowCount: i32, output: usize, lo: f32, hi: f32,
): void {
  const w = changetype<Window>(window);
  const channels = w.inChannels;
  const low = f32x4.splat(lo), high = f32x4.splat(hi);
  const b0 = fourRepeated(bias, 0, channels), b1 = fourRepeated(bias, 4, channels), b2 = fourRepeated(bias, 8, channels);
  const pixel = floats(w.inPixel), outPixel = floats(w.outPixel), line = <usize>w.inW * pixel;
  const rowStep = <usize>w.dilationH * line, planeStep = <usize>w.dilationD * <usize>w.inH * line;
  const tapStep = <usize>w.dilationW * pixel;
  const lineWeights = <usize>w.kernelW * 48;
  // Outputs in [inner, outer) have every column tap inside the input.
  const inner = min(w.outW, w.padW);
  const outer = max(inner, min(w.outW, w.inW + w.padW - (w.kernelW - 1) * w.dilationW));
  const isDense = w.inPixel == channels && w.outPixel == channels;
  const last = isDense ? inner + (outer - inner) * channels / 12 * 12 / channels : inner;
  for (let row = rowStart; row < rowStart + rowCount; row++) {
    const top = (row % w.outH) * w.strideH - w.padH;
    const front = ((row / w.outH) % w.outD) * w.strideD - w.padD;
    const h0 = firstTap(top, w.dilationH), h1 = endTap(top, w.dilationH, w.inH, w.kernelH);
    const d0 = firstTap(front, w.dilationD), d1 = endTap(front, w.dilationD, w.inD, w.kernelD);
    const image = row / (w.outH * w.outD);
    // Of the first tap, whether it is there or not.
    const source = input + <isize>((image * w.inD + front) * w.inH + top) * line - <isize>w.padW * pixel;
    let dst = output + <usize>row * <usize>w.outW * outPixel;
    for (let x = 0; x < w.outW; ) {
      const src = source + <isize>x * pixel;
      if (x >= inner && x < last) {
        let s0 = b0, s1 = b1, s2 = b2;
        for (let d = d0; d < d1; d++) {
          for (let h = h0; h < h1; h++) {
            let p = src + d * planeStep + h * rowStep;
            let q = weights + <usize>(d * w.kernelH + h) * lineWeights;
            for (const end = q + lineWeights; q < end; q += 48, p += tapStep) {
              s0 = f32x4.add(s0, f32x4.mul(v128.load(p), v128.load(q)));
              s1 = f32x4.add(s1, f32x4.mul(v128.load(p, 16), v128.load(q, 16)));
              s2 = f32x4.add(s2, f32x4.mul(v128.load(p, 32), v128.load(q, 32)));
            }
          }
        }
        v128.store(dst, clamp(s0, low, high));
        v128.store(dst, clamp(s1, low, high), 16);
        v128.store(dst, clamp(s2, low, high), 32);
        dst += 48;
        x += 12 / channels;
        continue;
      }
      const k0 = firstTap(x - w.padW, w.dilationW), k1 = endTap(x - w.padW, w.dilationW, w.inW, w.kernelW);
      for (let c = 0; c < channels; c++, dst += 4) {
        let sum = repeated(bias, c, channels);
        for (let d = d0; d < d1; d++) {
          for (let h = h0; h < h1; h++) {
            let p = src + d * planeStep + h * rowStep + k0 * tapStep + floats(c);
            let q = weights + <usize>(d * w.kernelH + h) * lineWeights + k0 * 48 + floats(c);
            for (let k = k0; k < k1; k++, p += tapStep, q += 48) sum += load<f32>(p) * load<f32>(q);
          }
        }
        store<f32>(dst, min(max(sum, lo), hi));
      }
      dst += outPixel - floats(channels);
      x++;
    }
  }
}
