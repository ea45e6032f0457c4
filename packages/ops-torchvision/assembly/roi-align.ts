import { addSample } from "./sample";
import { transpose } from "./transpose";

/**
 * RoIAlign over a map whose channels lie side by side: `map` [batch, height, width, channels], `rois` [regions, 5], `out`
 * [regions, channels, down, across]. Each bin has `ratio` samples in each direction. `bins`: room for the bins of a region,
 * [down · across, channels].
 */
export function roiAlign(
  map: usize,
  rois: usize,
  out: usize,
  bins: usize,
  batch: i32,
  channels: i32,
  height: i32,
  width: i32,
  regions: i32,
  down: i32,
  across: i32,
  ratio: i32,
  scale: f32,
  shift: f32,
  least: f32,
): void {
  const pixel = <usize>channels << 2;
  const size = <usize>(down * across) * pixel;
  const share: f32 = <f32>1 / <f32>(ratio * ratio);
  for (let region = 0; region < regions; region++, rois += 20, out += size) {
    memory.fill(bins, 0, size);
    const picture = load<f32>(rois);
    const left = load<f32>(rois, 4) * scale - shift, top = load<f32>(rois, 8) * scale - shift;
    const right = load<f32>(rois, 12) * scale - shift, bottom = load<f32>(rois, 16) * scale - shift;
    const binWidth = atLeast(right - left, least) / <f32>across, binHeight = atLeast(bottom - top, least) / <f32>down;
    // A region of a picture that is not there is zero.
    if (picture > -1 && picture < <f32>batch) {
      const features = map + <usize>(<i32>picture * height * width) * pixel;
      let to = bins;
      for (let row = 0; row < down; row++) {
        for (let column = 0; column < across; column++, to += pixel) {
          for (let iy = 0; iy < ratio; iy++) {
            const y = top + <f32>row * binHeight + ((<f32>iy + 0.5) * binHeight) / <f32>ratio;
            // Also where y is no number.
            if (!(y >= -1 && y <= <f32>height)) continue;
            const y0 = max<f32>(y, 0), low = min(<i32>y0, height - 1), high = min(low + 1, height - 1);
            const partY: f32 = low == high ? <f32>0 : y0 - <f32>low;
            for (let ix = 0; ix < ratio; ix++) {
              const x = left + <f32>column * binWidth + ((<f32>ix + 0.5) * binWidth) / <f32>ratio;
              if (!(x >= -1 && x <= <f32>width)) continue;
              const x0 = max<f32>(x, 0), near = min(<i32>x0, width - 1), far = min(near + 1, width - 1);
              const partX: f32 = near == far ? <f32>0 : x0 - <f32>near;
              const upper = features + <usize>(low * width) * pixel, lower = features + <usize>(high * width) * pixel;
              addSample(
                to,
                channels,
                upper + <usize>near * pixel,
                upper + <usize>far * pixel,
                lower + <usize>near * pixel,
                lower + <usize>far * pixel,
                (1 - partY) * (1 - partX) * share,
                (1 - partY) * partX * share,
                partY * (1 - partX) * share,
                partY * partX * share,
              );
            }
          }
        }
      }
    }
    transpose(bins, out, 1, down * across, channels);
  }
}

@inline
function atLeast(x: f32, least: f32): f32 {
  return x < least ? least : x;
}
