// Convolution with few output channels, from planes of the input that are put together line by line.
import { clamp } from "./conv-vector";
import { floats, Window, WORKSPACE } from "./conv-window";
import { multiplyAdd } from "./multiply-add";
import { transpose } from "./transpose";

/** Products that are added up before their sum is added to others: shorter sums round less. */
@inline
const TOGETHER: i32 = 128;

/**
 * Convolution with up to four output channels, one group, no depth and stride 1 along a line: output lines (flattened over batch and
 * height) [rowStart, rowStart + rowCount), each of at least four. The input may have any strides, which count floats. Weights are packed
 * as [channel][tap][output channel]. `planes` has room for what `blockRows` output lines read: a plane of each channel, whose lines have
 * `width` floats, with zeros where the input is padded.
 */
export function planarRows(
  window: usize, input: usize, strideN: i32, strideC: i32, strideH: i32, strideW: i32, weights: usize, bias: usize,
  rowStart: i32, rowCount: i32, output: usize, planes: usize, width: i32, blockRows: i32, lo: f32, hi: f32,
): void {
  const w = changetype<Window>(window);
  const reach = (w.kernelH - 1) * w.dilationH + 1;
  const plane = floats(((blockRows - 1) * w.strideH + reach) * width);
  const outLine = floats(w.outW * w.outPixel);
  for (let row = rowStart, end = rowStart + rowCount; row < end; ) {
    const y = row % w.outH;
    const rows = min(blockRows, min(w.outH - y, end - row));
    const image = input + floats(row / w.outH) * <isize>strideN;
    fillPlanes(w, image, strideC, strideH, strideW, y * w.strideH - w.padH, (rows - 1) * w.strideH + reach, planes, width, plane);
    for (let r = 0; r < rows; r++, row++) {
      const src = planes + floats(r * w.strideH * width), dst = output + <usize>row * outLine;
      const channels = w.outChannels;
      if (channels == 1) line(1, w, src, width, plane, weights, bias, 0, dst, lo, hi);
      else if (channels == 3) line(3, w, src, width, plane, weights, bias, 0, dst, lo, hi);
      else for (let o = 0; o < channels; o += 2) line2(w, src, width, plane, weights, bias, o, dst, lo, hi);
    }
  }
}

/** Copies `count` lines of the input, from line `top` on, to a plane for each channel. */
function fillPlanes(
  w: Window, image: usize, strideC: i32, strideH: i32, strideW: i32, top: i32, count: i32, planes: usize, width: i32, plane: usize,
): void {
  const left = min(w.padW, width), there = min(w.inW, width - left);
  for (let l = 0; l < count; l++) {
    const h = top + l;
    const isThere = <u32>h < <u32>w.inH;
    const src = image + floats(h) * <isize>strideH;
    const dst = planes + floats(l * width), first = dst + floats(left);
    if (isThere && strideC == 1) transpose(src, first, there, w.inChannels, strideW, <i32>(plane >> 2), changetype<usize>(w) + WORKSPACE);
    for (let c = 0; c < w.inChannels; c++) {
      const to = dst + <usize>c * plane, inside = first + <usize>c * plane;
      const from = src + floats(c) * <isize>strideC;
      if (!isThere) fillZeros(to, width);
      else {
        fillZeros(to, left);
        if (strideC != 1) {
          if (strideW == 1) memory.copy(inside, from, floats(there));
          else for (let x = 0; x < there; x++) store<f32>(inside + floats(x), load<f32>(from + floats(x) * <isize>strideW));
        }
        fillZeros(inside + floats(there), width - left - there);
      }
    }
  }
}

@inline
function fillZeros(p: usize, count: i32): void {
  for (const end = p + floats(count); p < end; p += 4) store<f32>(p, 0);
}

function line2(
  w: Window, src: usize, width: i32, plane: usize, weights: usize, bias: usize, o: i32, dst: usize, lo: f32, hi: f32,
): void {
  line(2, w, src, width, plane, weights, bias, o, dst, lo, hi);
}

/**
 * One line of `count` output channels from channel `o` on, known at compile time. Sixteen pixels of up to three channels are twelve
 * accumulators; of a single channel 48 pixels are as many.
 */
@inline
function line(
  count: i32, w: Window, src: usize, width: i32, plane: usize, weights: usize, bias: usize, o: i32, dst: usize, lo: f32, hi: f32,
): void {
  const low = f32x4.splat(lo), high = f32x4.splat(hi), zero = f32x4.splat(0);
  const b0 = biasOf(bias, o), b1 = count > 1 ? biasOf(bias, o + 1) : b0, b2 = count > 2 ? biasOf(bias, o + 2) : b0;
  const pixel = floats(w.outPixel), next = floats(w.outChannels);
  const tapStep = floats(w.dilationW), lineStep = floats(w.dilationH * width);
  const taps = w.kernelH * w.kernelW;
  const together = max(1, TOGETHER / taps);
  const q0 = weights + floats(o);
  const pixels = count == 1 ? 48 : 16;
  let x = 0;
  dst += floats(o);
  for (; x + pixels <= w.outW; x += pixels) {
    let t00 = b0, t01 = b0, t02 = b0, t03 = b0, t10 = b1, t11 = b1, t12 = b1, t13 = b1, t20 = b2, t21 = b2, t22 = b2, t23 = b2;
    let q = q0, a = zero, b = zero, w0 = zero;
    for (let c = 0; c < w.inChannels; c += together) {
      let s00 = zero, s01 = zero, s02 = zero, s03 = zero, s10 = zero, s11 = zero, s12 = zero, s13 = zero, s20 = zero, s21 = zero, s22 = zero, s23 = zero;
      for (let k = c, end = min(c + together, w.inChannels); k < end; k++) {
        let top = src + floats(x) + <usize>k * plane;
        for (let kh = 0; kh < w.kernelH; kh++, top += lineStep) {
          let p = top;
          for (const last = q + next * w.kernelW; q < last; q += next, p += tapStep) {
            // Two vectors and one number beside the accumulators: more would not stay in registers.
            w0 = v128.load32_splat(q);
            a = v128.load(p), b = v128.load(p, 16);
            s00 = multiplyAdd(s00, a, w0), s01 = multiplyAdd(s01, b, w0);
            if (count > 1) w0 = v128.load32_splat(q, 4), s10 = multiplyAdd(s10, a, w0), s11 = multiplyAdd(s11, b, w0);
            if (count > 2) w0 = v128.load32_splat(q, 8), s20 = multiplyAdd(s20, a, w0), s21 = multiplyAdd(s21, b, w0);
            if (count > 1) w0 = v128.load32_splat(q);
            a = v128.load(p, 32), b = v128.load(p, 48);
            s02 = multiplyAdd(s02, a, w0), s03 = multiplyAdd(s03, b, w0);
            if (count > 1) w0 = v128.load32_splat(q, 4), s12 = multiplyAdd(s12, a, w0), s13 = multiplyAdd(s13, b, w0);
            if (count > 2) w0 = v128.load32_splat(q, 8), s22 = multiplyAdd(s22, a, w0), s23 = multiplyAdd(s23, b, w0);
            if (count == 1) {
              a = v128.load(p, 64), b = v128.load(p, 80);
              s10 = multiplyAdd(s10, a, w0), s11 = multiplyAdd(s11, b, w0);
              a = v128.load(p, 96), b = v128.load(p, 112);
              s12 = multiplyAdd(s12, a, w0), s13 = multiplyAdd(s13, b, w0);
              a = v128.load(p, 128), b = v128.load(p, 144);
              s20 = multiplyAdd(s20, a, w0), s21 = multiplyAdd(s21, b, w0);
              a = v128.load(p, 160), b = v128.load(p, 176);
              s22 = multiplyAdd(s22, a, w0), s23 = multiplyAdd(s23, b, w0);
            }
          }
        }
      }
      t00 = f32x4.add(t00, s00), t01 = f32x4.add(t01, s01), t02 = f32x4.add(t02, s02), t03 = f32x4.add(t03, s03);
      t10 = f32x4.add(t10, s10), t11 = f32x4.add(t11, s11), t12 = f32x4.add(t12, s12), t13 = f32x4.add(t13, s13);
      t20 = f32x4.add(t20, s20), t21 = f32x4.add(t21, s21), t22 = f32x4.add(t22, s22), t23 = f32x4.add(t23, s23);
    }
    const to = dst + <usize>x * pixel;
    sixteen(to, pixel, clamp(t00, low, high), clamp(t01, low, high), clamp(t02, low, high), clamp(t03, low, high));
    if (count != 2) {
      const second = to + (count == 1 ? 16 * pixel : 4), third = to + (count == 1 ? 32 * pixel : 8);
      sixteen(second, pixel, clamp(t10, low, high), clamp(t11, low, high), clamp(t12, low, high), clamp(t13, low, high));
      sixteen(third, pixel, clamp(t20, low, high), clamp(t21, low, high), clamp(t22, low, high), clamp(t23, low, high));
    } else sixteen(to + 4, pixel, clamp(t10, low, high), clamp(t11, low, high), clamp(t12, low, high), clamp(t13, low, high));
  }
  for (; x < w.outW; x += 4) {
    // The last four may have been computed in part.
    x = min(x, w.outW - 4);
    for (let j = 0; j < count; j++) {
      let total = j == 0 ? b0 : j == 1 ? b1 : b2;
      let q = q0 + floats(j);
      for (let c = 0; c < w.inChannels; c += together) {
        let sum = zero;
        for (let k = c, end = min(c + together, w.inChannels); k < end; k++) {
          let top = src + floats(x) + <usize>k * plane;
          for (let kh = 0; kh < w.kernelH; kh++, top += lineStep) {
            let p = top;
            for (const last = q + next * w.kernelW; q < last; q += next, p += tapStep) {
              sum = multiplyAdd(sum, v128.load(p), v128.load32_splat(q));
            }
          }
        }
        total = f32x4.add(total, sum);
      }
      four(dst + <usize>x * pixel + floats(j), pixel, clamp(total, low, high));
    }
  }
}

@inline
function biasOf(bias: usize, o: i32): v128 {
  return bias ? v128.load32_splat(bias + floats(o)) : f32x4.splat(0);
}

/** Stores four floats, `pixel` bytes apart. */
@inline
function four(p: usize, pixel: usize, x: v128): void {
  v128.store32_lane(p, x, 0);
  v128.store32_lane(p + pixel, x, 1);
  v128.store32_lane(p + 2 * pixel, x, 2);
  v128.store32_lane(p + 3 * pixel, x, 3);
}

/** Stores sixteen. Not in line: what comes before takes far longer. */
function sixteen(p: usize, pixel: usize, a: v128, b: v128, c: v128, d: v128): void {
  four(p, pixel, a);
  four(p + 4 * pixel, pixel, b);
  four(p + 8 * pixel, pixel, c);
  four(p + 12 * pixel, pixel, d);
}
