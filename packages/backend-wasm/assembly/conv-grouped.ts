// Grouped convolution for groups of few channels, straight from the input: unfolding would cost more than the products.
import { clamp } from "./conv-vector";
import { endTap, firstTap, floats, Window } from "./conv-window";
import { multiplyAdd } from "./multiply-add";

/**
 * Four (`wide`) or one neighboring outputs of one group, four or eight (`two`) of its channels, column taps [k0, k1).
 * `src` is the first row tap's first column tap, `step` the distance between the outputs' inputs.
 */
@inline
function block(
  wide: bool, two: bool, channels: i32, rows: i32, k0: i32, k1: i32, kernelW: i32,
  src: usize, rowStep: usize, columnStep: usize, step: usize,
  weights: usize, bias: usize, dst: usize, outStep: usize, lo: v128, hi: v128,
): void {
  const vector: usize = two ? 32 : 16;
  let a0 = bias ? v128.load(bias) : f32x4.splat(0);
  let b0 = two && bias ? v128.load(bias, 16) : f32x4.splat(0);
  let a1 = a0, a2 = a0, a3 = a0, b1 = b0, b2 = b0, b3 = b0;
  for (let r = 0; r < rows; r++) {
    let q = weights + <usize>((r * kernelW + k0) * channels) * vector;
    for (let k = k0; k < k1; k++) {
      let p0 = src + <usize>r * rowStep + <usize>k * columnStep;
      let p1 = p0 + step, p2 = p1 + step, p3 = p2 + step;
      for (const end = p0 + floats(channels); p0 < end; p0 += 4, q += vector) {
        const w = v128.load(q);
        const v = two ? v128.load(q, 16) : w;
        let x = v128.load32_splat(p0);
        a0 = multiplyAdd(a0, x, w);
        if (two) b0 = multiplyAdd(b0, x, v);
        if (wide) {
          x = v128.load32_splat(p1);
          a1 = multiplyAdd(a1, x, w);
          if (two) b1 = multiplyAdd(b1, x, v);
          x = v128.load32_splat(p2);
          a2 = multiplyAdd(a2, x, w);
          if (two) b2 = multiplyAdd(b2, x, v);
          x = v128.load32_splat(p3);
          a3 = multiplyAdd(a3, x, w);
          if (two) b3 = multiplyAdd(b3, x, v);
          p1 += 4;
          p2 += 4;
          p3 += 4;
        }
      }
    }
  }
  v128.store(dst, clamp(a0, lo, hi));
  if (two) v128.store(dst, clamp(b0, lo, hi), 16);
  if (wide) {
    v128.store((dst += outStep), clamp(a1, lo, hi));
    if (two) v128.store(dst, clamp(b1, lo, hi), 16);
    v128.store((dst += outStep), clamp(a2, lo, hi));
    if (two) v128.store(dst, clamp(b2, lo, hi), 16);
    v128.store((dst += outStep), clamp(a3, lo, hi));
    if (two) v128.store(dst, clamp(b3, lo, hi), 16);
  }
}

@inline
function rowsOf(
  two: bool, window: usize, groups: i32, input: usize, weights: usize, bias: usize,
  rowStart: i32, rowCount: i32, output: usize, low: f32, high: f32,
): void {
  const w = changetype<Window>(window);
  const lo = f32x4.splat(low);
  const hi = f32x4.splat(high);
  const channels = w.inChannels / groups;
  const vector: i32 = two ? 8 : 4;
  const perGroup = w.outChannels / groups / vector;
  const pixel = floats(w.inPixel);
  const outPixel = floats(w.outPixel);
  const line = <usize>w.inW * pixel;
  const columnStep = <usize>w.dilationW * pixel;
  const rowStep = <usize>w.dilationH * line;
  const step = <usize>w.strideW * pixel;
  const tapBytes = floats(channels * vector);
  const blockBytes = <usize>(w.kernelH * w.kernelW) * tapBytes;
  for (let row = rowStart; row < rowStart + rowCount; row++) {
    const top = (row % w.outH) * w.strideH - w.padH;
    const h0 = firstTap(top, w.dilationH);
    const rows = endTap(top, w.dilationH, w.inH, w.kernelH) - h0;
    const source = input + <usize>((row / w.outH) * w.inH + top + h0 * w.dilationH) * line;
    let dst = output + <usize>(row * w.outW) * outPixel;
    for (let x = 0; x < w.outW; ) {
      const left = x * w.strideW - w.padW;
      const k0 = firstTap(left, w.dilationW);
      const k1 = endTap(left, w.dilationW, w.inW, w.kernelW);
      const last = left + 3 * w.strideW;
      const wide = x + 4 <= w.outW && k0 == 0 && endTap(last, w.dilationW, w.inW, w.kernelW) == w.kernelW;
      const src = source + <usize>left * pixel;
      let q = weights + <usize>(h0 * w.kernelW) * tapBytes;
      for (let unit = 0; unit < groups * perGroup; unit++, q += blockBytes) {
        const from = src + floats((unit / perGroup) * channels);
        const at = floats(unit * vector);
        const b = bias ? bias + at : 0;
        if (wide) {
          block(true, two, channels, rows, 0, w.kernelW, w.kernelW, from, rowStep, columnStep, step, q, b, dst + at, outPixel, lo, hi);
        } else {
          block(false, two, channels, rows, k0, k1, w.kernelW, from, rowStep, columnStep, step, q, b, dst + at, outPixel, lo, hi);
        }
      }
      x += wide ? 4 : 1;
      dst += wide ? 4 * outPixel : outPixel;
    }
  }
}

/**
 * Two-dimensional convolution in groups whose output channels come in whole vectors: output image rows
 * [rowStart, rowStart + rowCount), counted over the batch. Weights are packed as [unit][kernelH][kernelW][c][unit's
 * channels], a unit being eight output channels where a group has a multiple of eight and four otherwise.
 */
export function groupedRows(
  window: usize,
  groups: i32,
  input: usize,
  weights: usize,
  bias: usize,
  rowStart: i32,
  rowCount: i32,
  output: usize,
  lo: f32,
  hi: f32,
): void {
  if ((changetype<Window>(window).outChannels / groups) & 7) {
    rowsOf(false, window, groups, input, weights, bias, rowStart, rowCount, output, lo, hi);
  } else rowsOf(true, window, groups, input, weights, bias, rowStart, rowCount, output, lo, hi);
}
