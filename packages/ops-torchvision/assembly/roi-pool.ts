import { listBins, pictureOf, RANGE } from "./regions";
import { transpose } from "./transpose";

/** C's `-FLT_MAX`: as in torchvision's kernel nothing is smaller, no NaN, and no minus infinity. */
const LEAST: f32 = -3.4028234663852886e38;

/**
 * The largest element of each bin, and its place in the plane; 0 and −1 where a bin has none. Channels lie side by side: `map`
 * [batch, height, width, channels], `rois` [regions, 5], `values` and `places` [regions, channels, down, across].
 *
 * Room to work in: `most` and `found` for the results of a region [down · across, channels]; `ranges` for down + across pairs
 * of numbers of 4 bytes.
 */
export function roiPool(
  map: usize,
  rois: usize,
  values: usize,
  places: usize,
  most: usize,
  found: usize,
  ranges: usize,
  batch: i32,
  channels: i32,
  height: i32,
  width: i32,
  regions: i32,
  down: i32,
  across: i32,
  scale: f32,
): void {
  const pixel = <usize>channels << 2, count = down * across, size = <usize>count * pixel;
  const rowRanges = ranges, columnRanges = ranges + <usize>(down * RANGE);
  for (let region = 0; region < regions; region++, rois += 20, values += size, places += size) {
    const n = pictureOf(rois, batch);
    if (n < 0) {
      memory.fill(values, 0, size);
      memory.fill(places, 255, size);
      continue;
    }
    listBins(rowRanges, load<f32>(rois, 8) * scale, load<f32>(rois, 16) * scale, 1, down, height);
    listBins(columnRanges, load<f32>(rois, 4) * scale, load<f32>(rois, 12) * scale, 1, across, width);
    const features = map + <usize>(n * height * width) * pixel;
    let at: usize = 0;
    for (let y = 0; y < down; y++) {
      const top = load<i32>(rowRanges + <usize>(y * RANGE)), bottom = load<i32>(rowRanges + <usize>(y * RANGE), 4);
      for (let x = 0; x < across; x++, at += pixel) {
        const range = columnRanges + <usize>(x * RANGE);
        poolBin(features, channels, width, top, bottom, load<i32>(range), load<i32>(range, 4), most + at, found + at);
      }
    }
    transpose(most, values, 1, count, channels);
    transpose(found, places, 1, count, channels);
  }
}

function poolBin(
  features: usize,
  channels: i32,
  width: i32,
  top: i32,
  bottom: i32,
  left: i32,
  right: i32,
  values: usize,
  places: usize,
): void {
  const pixel = <usize>channels << 2;
  if (top >= bottom || left >= right) {
    memory.fill(values, 0, pixel);
    memory.fill(places, 255, pixel);
    return;
  }
  const wide = <usize>(channels & ~7) << 2, whole = <usize>(channels & ~3) << 2;
  let c: usize = 0;
  for (; c < wide; c += 32) {
    let most = f32x4.splat(LEAST), next = most, place = i32x4.splat(-1), nextPlace = place;
    for (let y = top; y < bottom; y++) {
      let from = features + <usize>(y * width + left) * pixel + c;
      for (let x = left; x < right; x++, from += pixel) {
        const here = i32x4.splat(y * width + x), value = v128.load(from), other = v128.load(from, 16);
        const larger = f32x4.gt(value, most), otherLarger = f32x4.gt(other, next);
        most = v128.bitselect(value, most, larger);
        place = v128.bitselect(here, place, larger);
        next = v128.bitselect(other, next, otherLarger);
        nextPlace = v128.bitselect(here, nextPlace, otherLarger);
      }
    }
    v128.store(values + c, most);
    v128.store(values + c, next, 16);
    v128.store(places + c, place);
    v128.store(places + c, nextPlace, 16);
  }
  for (; c < whole; c += 16) {
    let most = f32x4.splat(LEAST), place = i32x4.splat(-1);
    for (let y = top; y < bottom; y++) {
      let from = features + <usize>(y * width + left) * pixel + c;
      for (let x = left; x < right; x++, from += pixel) {
        const value = v128.load(from), larger = f32x4.gt(value, most);
        most = v128.bitselect(value, most, larger);
        place = v128.bitselect(i32x4.splat(y * width + x), place, larger);
      }
    }
    v128.store(values + c, most);
    v128.store(places + c, place);
  }
  for (; c < pixel; c += 4) {
    let most = LEAST, place = -1;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        const value = load<f32>(features + <usize>(y * width + x) * pixel + c);
        if (value > most) {
          most = value;
          place = y * width + x;
        }
      }
    }
    store<f32>(values + c, most);
    store<i32>(places + c, place);
  }
}
