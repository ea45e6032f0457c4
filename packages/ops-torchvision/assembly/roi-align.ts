import { weightedMean } from "./entries";
import { pictureOf } from "./regions";
import { listSamples, samplesOf } from "./samples";
import { transpose } from "./transpose";

/**
 * RoIAlign over a map whose channels lie side by side: `map` [batch, height, width, channels], or with `own` bins of
 * channels of their own [batch, down · across, height, width, channels]; `rois` [regions, 5]; `out` [regions, channels, down,
 * across]. `ratio`: the samples of a bin along each dimension, from 0 down as many as it covers elements. Regions are
 * `least` large at least.
 *
 * Room to work in: `bins` for the means of a region [down · across, channels]; `rows` and `columns` for (2 · length + 1) ·
 * bins entries; `ends` for down + across numbers of 4 bytes; `marks` for the larger of height and width, of 8 bytes each.
 */
export function roiAlign(
  map: usize,
  rois: usize,
  out: usize,
  bins: usize,
  rows: usize,
  columns: usize,
  ends: usize,
  marks: usize,
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
  own: i32,
): void {
  const pixel = <usize>channels << 2, plane = <usize>(height * width) * pixel;
  const count = down * across, size = <usize>count * pixel;
  const step = own ? plane : 0, picture = own ? plane * <usize>count : plane;
  const rowEnds = ends, columnEnds = ends + (<usize>down << 2);
  memory.fill(marks, 0, <usize>max(height, width) << 3);
  for (let region = 0; region < regions; region++, rois += 20, out += size) {
    const left = load<f32>(rois, 4) * scale - shift, top = load<f32>(rois, 8) * scale - shift;
    const regionWidth = atLeast(load<f32>(rois, 12) * scale - shift - left, least);
    const regionHeight = atLeast(load<f32>(rois, 16) * scale - shift - top, least);
    const high = samplesOf(regionHeight, down, ratio), wide = samplesOf(regionWidth, across, ratio);
    // The mean of nothing is NaN where bins have channels of their own, and 0 elsewhere.
    const divisor = own ? high * wide : max<f32>(high * wide, 1);
    const n = pictureOf(rois, batch);
    listSamples(rows, rowEnds, marks, top, regionHeight, down, height, high, <usize>width * pixel);
    listSamples(columns, columnEnds, marks, left, regionWidth, across, width, wide, pixel);
    let features = map + <usize>max(n, 0) * picture, to = bins, row = rows;
    for (let y = 0; y < down; y++) {
      // A region of a picture that is not there reads nothing.
      const rowEnd = n < 0 ? row : <usize>load<u32>(rowEnds + (<usize>y << 2));
      let column = columns;
      for (let x = 0; x < across; x++, to += pixel, features += step) {
        const columnEnd = <usize>load<u32>(columnEnds + (<usize>x << 2));
        weightedMean(to, features, channels, row, rowEnd, column, columnEnd, divisor);
        column = columnEnd;
      }
      row = rowEnd;
    }
    transpose(bins, out, 1, count, channels);
  }
}

@inline
function atLeast(x: f32, least: f32): f32 {
  return x < least ? least : x;
}
