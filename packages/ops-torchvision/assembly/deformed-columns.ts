import { addSample } from "./sample";

/**
 * What the kernel of a deformable convolution meets: `input` [batch, height, width, channels], `offset`
 * [batch, groups, taps, 2, down, across], `mask` [batch, groups, taps, down, across], or 0 for none; `out`
 * [batch, down · across, taps, channels]. `zeros`: room for what lies beyond the border in all channels of a group.
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
  zeros: usize,
): void {
  const pixel = <usize>channels << 2, plane = <usize>(down * across) << 2;
  const taps = rows * columns, share = channels / groups, part = <usize>share << 2;
  memory.fill(zeros, 0, part);
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
            const features = input + <usize>group * part;
            const at = <usize>(group * taps + tap) * plane;
            const py = row + load<f32>(offset + 2 * at + place), px = column + load<f32>(offset + 2 * at + plane + place);
            if (py <= -1 || py >= <f32>height || px <= -1 || px >= <f32>width) continue;
            const to = out + <usize>group * part;
            const weight: f32 = masked ? load<f32>(mask + at + place) : 1;
            if (py != py || px != px) {
              addSample(to, share, zeros, zeros, zeros, zeros, <f32>NaN, 0, 0, 0);
              continue;
            }
            const low = <i32>Math.floor(py), near = <i32>Math.floor(px);
            const below = py - <f32>low, right = px - <f32>near, left: f32 = 1 - right;
            // Not with a weight of zero: an infinity times that would be NaN.
            const first = corner(features, zeros, low, near, height, width, pixel);
            const second = corner(features, zeros, low, near + 1, height, width, pixel);
            const third = corner(features, zeros, low + 1, near, height, width, pixel);
            const fourth = corner(features, zeros, low + 1, near + 1, height, width, pixel);
            const above: f32 = (1 - below) * weight, under = below * weight;
            addSample(
              to,
              share,
              first,
              second,
              third,
              fourth,
              above * left,
              above * right,
              under * left,
              under * right,
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

/** The channels of an element, or zeros beyond the border. */
@inline
function corner(features: usize, zeros: usize, y: i32, x: i32, height: i32, width: i32, pixel: usize): usize {
  return y < 0 || y >= height || x < 0 || x >= width ? zeros : features + <usize>(y * width + x) * pixel;
}
