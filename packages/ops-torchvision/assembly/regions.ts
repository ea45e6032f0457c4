// Regions of interest: rows of rois are (picture, x1, y1, x2, y2).

/** The picture of a region, cut to an integer as C does it; −1 where there is no such picture. */
@inline
export function pictureOf(roi: usize, batch: i32): i32 {
  const picture = load<f32>(roi);
  return picture > -1 && picture < <f32>batch ? <i32>picture : -1;
}

/** The elements from `low` up to `high` along one dimension. */
export const RANGE: i32 = 8;

/**
 * Writes the bins of a region along one dimension as pairs (low, high) of i32: edges of the region are rounded to the nearest
 * element, those of its bins outwards, and cut at 0 and `last`. `more`: the elements of a region beside what lies between its
 * edges. A region with an edge that is NaN has no elements.
 */
export function listBins(ranges: usize, low: f32, high: f32, more: i64, bins: i32, last: i32): void {
  if (low != low || high != high) {
    memory.fill(ranges, 0, <usize>bins * RANGE);
    return;
  }
  const start = wholeOf(low);
  const bin = <f32>max<i64>(wholeOf(high) - start + more, 1) / <f32>bins;
  for (let i = 0; i < bins; i++, ranges += RANGE) {
    store<i32>(ranges, cut(<i64>Mathf.floor(<f32>i * bin) + start, last));
    store<i32>(ranges, cut(<i64>Mathf.ceil(<f32>(i + 1) * bin) + start, last), 4);
  }
}

/** To the nearest integer, from halves away from zero; cut at 2^31, beyond which torchvision's integers mean nothing. */
function wholeOf(x: f32): i64 {
  const size = Mathf.abs(x), whole = Mathf.floor(size);
  const rounded = <i64>min<f32>(size - whole >= 0.5 ? whole + 1 : whole, 2147483648);
  return x < 0 ? -rounded : rounded;
}

@inline
function cut(x: i64, last: i32): i32 {
  return <i32>min<i64>(max<i64>(x, 0), last);
}
