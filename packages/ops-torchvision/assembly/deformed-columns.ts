import { addSample } from "./sample";

/**
 * What the kernel of a deformable convolution meets: `input` [batch, height, width, channels], `offset`
 * [batch, groups, taps, 2, down, across], `mask` [batch, groups, taps, down, across], or 0 for none; `out`
 * [batch, down · across, taps, channels].
 */
export function deformedColumns(
  input: usize,
  offset: usize,
  mask: usize,
  out: usize,
  batch: i32,
  channels: i32,
  height: i32,
  width: i32,
  groups: i32,
  rows: i32,
  columns: i32,
  down: i32,
  across: i32,
  strideY: i32,
  strideX: i32,
  padY: i32,
  padX: i32,
  dilationY: i32,
  dilationX: i32,
  masked: i32,
): void {
  const pixel = <usize>channels << 2, plane = <usize>(down * across) << 2;
  const taps = rows * columns, share = channels / groups, part = <usize>share << 2;
  for (let n = 0; n < batch; n++) {
    const whole = <usize>(down * across * taps) * pixel;
    memory.fill(out, 0, whole);
    for (let y = 0; y < down; y++) {
      for (let x = 0; x < across; x++) {
        const place = <usize>(y * across + x) << 2;
        for (let tap = 0; tap < taps; tap++, out += pixel) {
          const row = <f32>(y * strideY - padY + (tap / columns) * dilationY);
          const column = <f32>(x * strideX - padX + (tap % columns) * dilationX);
          for (let group = 0; group < groups; group++) {
            const at = <usize>(group * taps + tap) * plane;
            const py = row + load<f32>(offset + 2 * at + place), px = column + load<f32>(offset + 2 * at + plane + place);
            // Beyond the border are zeros; what is no number lies nowhere.
            if (!(py > -1 && py < <f32>height && px > -1 && px < <f32>width)) continue;
            const weight = masked ? load<f32>(mask + at + place) : 1;
            const low = <i32>Math.floor(py), near = <i32>Math.floor(px);
            const partY = py - <f32>low, partX = px - <f32>near;
            const top: f32 = low >= 0 ? (1 - partY) * weight : 0, bottom: f32 = low + 1 < height ? partY * weight : 0;
            const left: f32 = near >= 0 ? 1 - partX : 0, right: f32 = near + 1 < width ? partX : 0;
            // What counts nothing is read all the same, inside the map.
            const upper = input + <usize>(max(low, 0) * width) * pixel;
            const lower = input + <usize>(min(low + 1, height - 1) * width) * pixel;
            const first = <usize>max(near, 0) * pixel + <usize>group * part;
            const second = <usize>min(near + 1, width - 1) * pixel + <usize>group * part;
            addSample(
              out + <usize>group * part,
              share,
              upper + first,
              upper + second,
              lower + first,
              lower + second,
              top * left,
              top * right,
              bottom * left,
              bottom * right,
            );
          }
        }
      }
    }
    input += <usize>(height * width) * pixel;
    offset += <usize>(groups * taps) * 2 * plane;
    mask += <usize>(groups * taps) * plane;
  }
}
