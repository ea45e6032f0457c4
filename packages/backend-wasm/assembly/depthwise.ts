import { endTap, firstTap, floats, Window, WORKSPACE } from "./conv-window";
import { blockAny } from "./depthwise-block";
import { block3, block5 } from "./depthwise-dense";
import { Taps } from "./depthwise-taps";
import { single } from "./depthwise-single";
import { block3Stride2 } from "./depthwise-stride2";

/**
 * Depthwise convolution with multiplier 1 and at least four channels: output image rows (flattened over batch, depth,
 * height) [rowStart, rowStart + rowCount). Weights are packed as [group][tap][4]; group g holds the four channels from
 * min(4g, channels - 4) on, so that the last group overlaps instead of needing a tail.
 */
export function depthwiseRows(
  window: usize,
  input: usize,
  weights: usize,
  bias: usize,
  rowStart: i32,
  rowCount: i32,
  output: usize,
  lo: f32,
  hi: f32,
): void {
  const w = changetype<Window>(window);
  const taps = changetype<Taps>(window + WORKSPACE);
  const pixel = floats(w.inPixel);
  const outPixel = floats(w.outPixel);
  const line = <usize>w.inW * pixel;
  const rowTaps = w.kernelH * w.kernelW;
  taps.channels = w.inChannels;
  taps.columns = w.kernelW;
  taps.columnStep = <usize>w.dilationW * pixel;
  taps.rowStep = <usize>w.dilationH * line;
  taps.planeStep = <usize>w.dilationD * <usize>w.inH * line;
  taps.weightPlaneStep = <usize>rowTaps << 4;
  taps.groupStep = <usize>(w.kernelD * rowTaps) << 4;
  taps.outputStep = <usize>w.strideW * pixel;
  taps.outPixel = outPixel;

  // Outputs in [inner, outer) have every column tap inside the input.
  const inner = min(w.outW, (w.padW + w.strideW - 1) / w.strideW);
  const reach = w.inW - 1 + w.padW - (w.kernelW - 1) * w.dilationW;
  const outer = reach < 0 ? inner : max(inner, min(w.outW, reach / w.strideW + 1));
  // Three shapes have blocks of their own.
  const undilated = w.dilationW == 1;
  const wide3 = undilated && w.kernelW == 3 && w.strideW == 1;
  const wide5 = undilated && w.kernelW == 5 && w.strideW == 1;
  const wide3Stride2 = undilated && w.kernelW == 3 && w.strideW == 2;

  for (let row = rowStart; row < rowStart + rowCount; row++) {
    const top = (row % w.outH) * w.strideH - w.padH;
    const front = ((row / w.outH) % w.outD) * w.strideD - w.padD;
    const h0 = firstTap(top, w.dilationH);
    const d0 = firstTap(front, w.dilationD);
    taps.rows = endTap(top, w.dilationH, w.inH, w.kernelH) - h0;
    taps.planes = endTap(front, w.dilationD, w.inD, w.kernelD) - d0;
    const image = row / (w.outH * w.outD);
    const start = (image * w.inD + front + d0 * w.dilationD) * w.inH + top + h0 * w.dilationH;
    const source = input + <usize>start * line;
    const weight = weights + (<usize>(d0 * rowTaps + h0 * w.kernelW) << 4);
    const target = output + <usize>row * <usize>w.outW * outPixel;
    for (let x = 0; x < w.outW; ) {
      const src = source + <usize>(x * w.strideW - w.padW) * pixel;
      const dst = target + <usize>x * outPixel;
      if (x < inner || x >= outer) {
        const k0 = firstTap(x * w.strideW - w.padW, w.dilationW);
        const k1 = endTap(x * w.strideW - w.padW, w.dilationW, w.inW, w.kernelW);
        single(taps, src, weight, bias, dst, k0, k1, lo, hi);
        x++;
      } else if (x + 4 > outer) {
        // Three left over are cheaper as a block that computes one again, fewer are not.
        if (x + 3 == outer && outer - inner >= 4) {
          x = outer - 4;
          continue;
        }
        single(taps, src, weight, bias, dst, 0, w.kernelW, lo, hi);
        x++;
      } else {
        if (wide3) block3(taps, src, weight, bias, dst, lo, hi);
        else if (wide5) block5(taps, src, weight, bias, dst, lo, hi);
        else if (wide3Stride2) block3Stride2(taps, src, weight, bias, dst, lo, hi);
        else blockAny(taps, src, weight, bias, dst, lo, hi);
        x += 4;
      }
    }
  }
}

/** Any multiplier and any channel count, one output at a time; weights are packed as [outChannels][taps]. */
export function depthwiseRowsScalar(
  window: usize,
  input: usize,
  weights: usize,
  bias: usize,
  rowStart: i32,
  rowCount: i32,
  output: usize,
  lo: f32,
  hi: f32,
): void {
  const w = changetype<Window>(window);
  const multiplier = w.outChannels / w.inChannels;
  const taps = floats(w.kernelD * w.kernelH * w.kernelW);
  let pixel = output + floats(w.outPixel) * <usize>(rowStart * w.outW);
  for (let at = rowStart * w.outW; at < (rowStart + rowCount) * w.outW; at++, pixel += floats(w.outPixel)) {
    const left = (at % w.outW) * w.strideW - w.padW;
    const row = at / w.outW;
    const top = (row % w.outH) * w.strideH - w.padH;
    const front = ((row / w.outH) % w.outD) * w.strideD - w.padD;
    const image = row / (w.outH * w.outD);
    let dst = pixel;
    for (let o = 0; o < w.outChannels; o++, dst += 4) {
      let sum = bias ? load<f32>(bias + floats(o)) : <f32>0;
      let weight = weights + <usize>o * taps;
      for (let kd = 0; kd < w.kernelD; kd++) {
        const d = front + kd * w.dilationD;
        for (let kh = 0; kh < w.kernelH; kh++) {
          const h = top + kh * w.dilationH;
          const inside = <u32>d < <u32>w.inD && <u32>h < <u32>w.inH;
          const line = ((image * w.inD + d) * w.inH + h) * w.inW;
          for (let kw = 0; kw < w.kernelW; kw++, weight += 4) {
            const x = left + kw * w.dilationW;
            if (!inside || <u32>x >= <u32>w.inW) continue;
            const src = input + <usize>(line + x) * floats(w.inPixel) + floats(o / multiplier);
            sum += load<f32>(src) * load<f32>(weight);
          }
        }
      }
      store<f32>(dst, min(max(sum, lo), hi));
    }
  }
}
