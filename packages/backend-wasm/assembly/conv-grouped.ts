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

/**
 * Four rows at a time, where all of their taps are there; for each unit first blocks of neighbors in a row, and then the columns that are
 * left, at the borders above all, as blocks of the four rows. Each output is the same sum in every block.
 */
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
  const outLine = <usize>w.outW * outPixel;
  const columnStep = <usize>w.dilationW * pixel;
  const rowStep = <usize>w.dilationH * line;
  const step = <usize>w.strideW * pixel, down = <usize>w.strideH * line;
  const tapBytes = floats(channels * vector);
  const blockBytes = <usize>(w.kernelH * w.kernelW) * tapBytes;
  // Columns [first, first + 4 * blocks) have all their taps.
  const reach = (w.kernelW - 1) * w.dilationW;
  const first = min((w.padW + w.strideW - 1) / w.strideW, w.outW);
  const room = w.inW - 1 + w.padW - reach;
  const end = room < 0 ? 0 : min(room / w.strideW + 1, w.outW);
  const blocks = max(end - first, 0) >> 2;
  const rowEnd = rowStart + rowCount;
  for (let row = rowStart, count = 0; row < rowEnd; row += count) {
    const y = row % w.outH;
    const top = y * w.strideH - w.padH;
    const h0 = firstTap(top, w.dilationH);
    const rows = endTap(top, w.dilationH, w.inH, w.kernelH) - h0;
    const last = top + 3 * w.strideH;
    const tall = row + 4 <= rowEnd && y + 4 <= w.outH && h0 == 0 && endTap(last, w.dilationH, w.inH, w.kernelH) == w.kernelH;
    count = tall ? 4 : 1;
    const source = input + <usize>((row / w.outH) * w.inH + top + h0 * w.dilationH) * line;
    const target = output + <usize>row * outLine;
    let q = weights + <usize>(h0 * w.kernelW) * tapBytes;
    for (let unit = 0; unit < groups * perGroup; unit++, q += blockBytes) {
      const at = floats(unit * vector);
      const b = bias ? bias + at : 0;
      const from = source + floats((unit / perGroup) * channels) - <usize>w.padW * pixel;
      const to = target + at;
      for (let i = 0; i < count; i++) {
        let src = from + <usize>i * down + <usize>first * step;
        let dst = to + <usize>i * outLine + <usize>first * outPixel;
        for (let n = blocks; n > 0; n--, src += 4 * step, dst += 4 * outPixel) {
          block(true, two, channels, rows, 0, w.kernelW, w.kernelW, src, rowStep, columnStep, step, q, b, dst, outPixel, lo, hi);
        }
      }
      for (let i = 0; i < w.outW - 4 * blocks; i++) {
        const x = i < first ? i : i + 4 * blocks;
        const left = x * w.strideW - w.padW;
        const k0 = firstTap(left, w.dilationW);
        const k1 = endTap(left, w.dilationW, w.inW, w.kernelW);
        const src = from + <usize>x * step, dst = to + <usize>x * outPixel;
        if (tall) {
          block(true, two, channels, rows, k0, k1, w.kernelW, src, rowStep, columnStep, down, q, b, dst, outLine, lo, hi);
        } else {
          block(false, two, channels, rows, k0, k1, w.kernelW, src, rowStep, columnStep, step, q, b, dst, outPixel, lo, hi);
        }
      }
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
