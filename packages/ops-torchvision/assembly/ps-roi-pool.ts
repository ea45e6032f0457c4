import { append, weightedMean } from "./entries";
import { listBins, pictureOf, RANGE } from "./regions";
import { transpose } from "./transpose";

/**
 * Means of bins that have channels of their own: `map` [batch, down · across, height, width, channels], `rois` [regions, 5],
 * `out` [regions, channels, down, across]. As in torchvision's kernel the last row and the last column are left out.
 *
 * Room to work in: `bins` for the means of a region [down · across, channels]; `ranges` for down + across pairs of numbers of
 * 4 bytes; `rows` for height, and `columns` for width entries.
 */
export function psRoiPool(
  map: usize,
  rois: usize,
  out: usize,
  bins: usize,
  ranges: usize,
  rows: usize,
  columns: usize,
  batch: i32,
  channels: i32,
  height: i32,
  width: i32,
  regions: i32,
  down: i32,
  across: i32,
  scale: f32,
): void {
  const pixel = <usize>channels << 2, plane = <usize>(height * width) * pixel;
  const count = down * across, size = <usize>count * pixel;
  const rowRanges = ranges, columnRanges = ranges + <usize>(down * RANGE);
  for (let region = 0; region < regions; region++, rois += 20, out += size) {
    const n = pictureOf(rois, batch);
    if (n < 0) {
      memory.fill(out, 0, size);
      continue;
    }
    listBins(rowRanges, load<f32>(rois, 8) * scale, load<f32>(rois, 16) * scale, 0, down, height - 1);
    listBins(columnRanges, load<f32>(rois, 4) * scale, load<f32>(rois, 12) * scale, 0, across, width - 1);
    let features = map + <usize>n * plane * <usize>count, to = bins;
    for (let y = 0; y < down; y++) {
      const rowsEnd = listElements(rows, rowRanges + <usize>(y * RANGE), <usize>width * pixel);
      for (let x = 0; x < across; x++, to += pixel, features += plane) {
        const columnsEnd = listElements(columns, columnRanges + <usize>(x * RANGE), pixel);
        const area = <f32>((rowsEnd - rows) >> 3) * <f32>((columnsEnd - columns) >> 3);
        weightedMean(to, features, channels, rows, rowsEnd, columns, columnsEnd, max<f32>(area, 1));
      }
    }
    transpose(bins, out, 1, count, channels);
  }
}

/** Lists the elements of a range, each with a weight of 1, and returns the end of the list. */
function listElements(list: usize, range: usize, stride: usize): usize {
  const high = load<i32>(range, 4);
  for (let at = load<i32>(range); at < high; at++) list = append(list, <usize>at * stride, 1);
  return list;
}
