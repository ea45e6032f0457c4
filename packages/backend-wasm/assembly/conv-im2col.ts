import { copyFloats, endTap, firstTap, floats, Window } from "./conv-window";

/**
 * Unfolds `rowCount` output positions (flattened over batch, depth, height, width) from `rowStart` on into rows of
 * kernelD * kernelH * kernelW * groupChannels floats. `input` points at the first channel of the group.
 */
export function im2colRows(
  window: usize,
  input: usize,
  groupChannels: i32,
  rowStart: i32,
  rowCount: i32,
  dst: usize,
): void {
  const w = changetype<Window>(window);
  const pixel = floats(w.inPixel);
  const tap = floats(groupChannels);
  const rowTaps = w.kernelH * w.kernelW;
  // Neighboring taps are neighbors in memory too: a whole kernel row is one copy.
  const contiguous = w.dilationW == 1 && w.inPixel == groupChannels;
  let x = rowStart % w.outW;
  let y = (rowStart / w.outW) % w.outH;
  let z = (rowStart / (w.outW * w.outH)) % w.outD;
  let n = rowStart / (w.outW * w.outH * w.outD);
  for (let row = 0; row < rowCount; row++) {
    const left = x * w.strideW - w.padW;
    const top = y * w.strideH - w.padH;
    const front = z * w.strideD - w.padD;
    const x0 = firstTap(left, w.dilationW);
    const x1 = max(x0, endTap(left, w.dilationW, w.inW, w.kernelW));
    for (let kd = 0; kd < w.kernelD; kd++) {
      const id = front + kd * w.dilationD;
      if (<u32>id >= <u32>w.inD) {
        memory.fill(dst, 0, <usize>rowTaps * tap);
        dst += <usize>rowTaps * tap;
        continue;
      }
      for (let kh = 0; kh < w.kernelH; kh++) {
        const ih = top + kh * w.dilationH;
        if (<u32>ih >= <u32>w.inH || x0 >= w.kernelW || x1 == x0) {
          memory.fill(dst, 0, <usize>w.kernelW * tap);
          dst += <usize>w.kernelW * tap;
          continue;
        }
        const line = input + <usize>((n * w.inD + id) * w.inH + ih) * <usize>w.inW * pixel;
        let src = line + <usize>(left + x0 * w.dilationW) * pixel;
        if (x0 > 0) {
          memory.fill(dst, 0, <usize>x0 * tap);
          dst += <usize>x0 * tap;
        }
        if (contiguous) {
          copyFloats(dst, src, (x1 - x0) * groupChannels);
          dst += <usize>(x1 - x0) * tap;
        } else {
          for (let kw = x0; kw < x1; kw++) {
            copyFloats(dst, src, groupChannels);
            dst += tap;
            src += <usize>w.dilationW * pixel;
          }
        }
        if (x1 < w.kernelW) {
          memory.fill(dst, 0, <usize>(w.kernelW - x1) * tap);
          dst += <usize>(w.kernelW - x1) * tap;
        }
      }
    }
    if (++x == w.outW) {
      x = 0;
      if (++y == w.outH) {
        y = 0;
        if (++z == w.outD) {
          z = 0;
          n++;
        }
      }
    }
  }
}
