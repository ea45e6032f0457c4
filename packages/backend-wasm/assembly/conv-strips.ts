// Convolution of pictures: few input channels, and so rows of taps that are too short to be copied one by one.
import { floats, Window } from "./conv-window";
import { gemmPacked } from "./gemm";

/** Writes zeros to `count` floats, `step` bytes apart; returns where the next one would be. */
@inline
function zeros(dst: usize, count: i32, step: usize): usize {
  for (let i = 0; i < count; i++, dst += step) store<f32>(dst, 0);
  return dst;
}

/** Copies `count` floats; the distances between them are given in bytes. */
@inline
function spread(src: usize, from: usize, dst: usize, to: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4, src += from << 2, dst += to << 2) {
    store<f32>(dst, load<f32>(src));
    store<f32>(dst + to, load<f32>(src + from));
    store<f32>(dst + (to << 1), load<f32>(src + (from << 1)));
    store<f32>(dst + to * 3, load<f32>(src + from * 3));
  }
  for (; i < count; i++, src += from, dst += to) store<f32>(dst, load<f32>(src));
}

/**
 * Two-dimensional convolution, not dilated along the width: output image rows [rowStart, rowStart + rowCount), counted over the
 * batch. The input has any strides, in elements. What a row of outputs reads becomes a strip at `strip`: kernelH * inChannels
 * floats for each column, so that the taps of an output lie side by side, those of its neighbor `strideW` columns further, and
 * the strip is the left operand of one product. Weights are packed in the order kernelW, kernelH, inChannels. `flags` are those
 * of `gemmPacked`.
 */
export function stripRows(
  window: usize,
  input: usize,
  strideN: i32,
  strideC: i32,
  strideH: i32,
  strideW: i32,
  weights: usize,
  bias: usize,
  rowStart: i32,
  rowCount: i32,
  output: usize,
  strip: usize,
  flags: i32,
  lo: f32,
  hi: f32,
): void {
  const w = changetype<Window>(window);
  const column = w.kernelH * w.inChannels;
  const step = floats(column);
  const width = (w.outW - 1) * w.strideW + w.kernelW;
  const left = min(w.padW, width);
  const inside = max(0, min(width - left, w.inW));
  for (let row = rowStart; row < rowStart + rowCount; row++) {
    const top = (row % w.outH) * w.strideH - w.padH;
    const image = input + ((<isize>(row / w.outH) * strideN) << 2);
    let dst = strip;
    for (let kh = 0; kh < w.kernelH; kh++) {
      const ih = top + kh * w.dilationH;
      for (let c = 0; c < w.inChannels; c++, dst += 4) {
        if (<u32>ih >= <u32>w.inH) {
          zeros(dst, width, step);
          continue;
        }
        const src = image + ((<isize>c * strideC + <isize>ih * strideH) << 2);
        const first = zeros(dst, left, step);
        spread(src, <isize>strideW << 2, first, step, inside);
        zeros(first + <usize>inside * step, width - left - inside, step);
      }
    }
    const target = output + floats(row * w.outW) * <usize>w.outPixel;
    gemmPacked(
      w.outW, w.outChannels, w.kernelW * column, strip, w.strideW * column, weights, target, w.outPixel, bias, flags, lo, hi,
    );
  }
}
