import { floats, Window } from "./conv-window";
import { clamp } from "./conv-vector";
import { multiplyAdd } from "./multiply-add";

/** Fills `rows` rows of `channels` floats with the bias (zeros without one). */
export function fillBias(dst: usize, rows: i32, channels: i32, bias: usize): void {
  const bytes = floats(channels);
  if (bias == 0) {
    memory.fill(dst, 0, <usize>rows * bytes);
    return;
  }
  for (let row = 0; row < rows; row++, dst += bytes) memory.copy(dst, bias, bytes);
}

/** Clamps `count` floats in place. */
export function clampFloats(data: usize, count: i32, lo: f32, hi: f32): void {
  const low = f32x4.splat(lo);
  const high = f32x4.splat(hi);
  const end = data + floats(count);
  for (const last = data + (floats(count) & ~15); data < last; data += 16) {
    v128.store(data, clamp(v128.load(data), low, high));
  }
  for (; data < end; data += 4) store<f32>(data, min(max(load<f32>(data), lo), hi));
}

/**
 * Adds rows of columns (kernelD * kernelH * kernelW * groupChannels floats, one row for each *input* position from
 * `rowStart` on) to pixels [first, first + count) of the output of a transposed convolution, and leaves the others as
 * they are. Of the window, `in` is the transposed convolution's input and `out` its output; `output` points at the
 * first channel of the group. With a `weight` (one row of columns), rows are pixels of the input, whose products with it
 * are the columns.
 */
export function col2imRows(
  window: usize,
  columns: usize,
  groupChannels: i32,
  rowStart: i32,
  rowCount: i32,
  first: i32,
  count: i32,
  output: usize,
  weight: usize,
): void {
  const w = changetype<Window>(window);
  const pixel = floats(w.outChannels);
  const tap = floats(groupChannels);
  const taps = <usize>(w.kernelD * w.kernelH * w.kernelW) * tap;
  for (let row = rowStart; row < rowStart + rowCount; row++, columns += weight ? floats(w.inPixel) : taps) {
    const left = (row % w.inW) * w.strideW - w.padW;
    const top = ((row / w.inW) % w.inH) * w.strideH - w.padH;
    const front = ((row / (w.inW * w.inH)) % w.inD) * w.strideD - w.padD;
    const n = row / (w.inW * w.inH * w.inD);
    let at: usize = 0;
    for (let kd = 0; kd < w.kernelD; kd++) {
      const od = front + kd * w.dilationD;
      for (let kh = 0; kh < w.kernelH; kh++) {
        const oh = top + kh * w.dilationH;
        if (<u32>od >= <u32>w.outD || <u32>oh >= <u32>w.outH) {
          at += <usize>w.kernelW * tap;
          continue;
        }
        const line = ((n * w.outD + od) * w.outH + oh) * w.outW;
        for (let kw = 0; kw < w.kernelW; kw++, at += tap) {
          const ow = left + kw * w.dilationW;
          if (<u32>ow >= <u32>w.outW || <u32>(line + ow - first) >= <u32>count) continue;
          const dst = output + <usize>(line + ow) * pixel;
          if (weight) addProducts(dst, columns, weight + at, groupChannels);
          else addFloats(dst, columns + at, groupChannels);
        }
      }
    }
  }
}

@inline
function addFloats(dst: usize, src: usize, count: i32): void {
  const end = dst + floats(count);
  for (const last = dst + (floats(count) & ~15); dst < last; dst += 16, src += 16) {
    v128.store(dst, f32x4.add(v128.load(dst), v128.load(src)));
  }
  for (; dst < end; dst += 4, src += 4) store<f32>(dst, load<f32>(dst) + load<f32>(src));
}

@inline
function addProducts(dst: usize, src: usize, weight: usize, count: i32): void {
  const end = dst + floats(count);
  for (const last = dst + (floats(count) & ~15); dst < last; dst += 16, src += 16, weight += 16) {
    v128.store(dst, multiplyAdd(v128.load(dst), v128.load(src), v128.load(weight)));
  }
  for (; dst < end; dst += 4, src += 4, weight += 4) {
    store<f32>(dst, load<f32>(dst) + load<f32>(src) * load<f32>(weight));
  }
}
