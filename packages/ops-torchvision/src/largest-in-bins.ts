type Numbers = Float32Array | Float64Array;

/** Features [N, C, H, W] and regions [K, 5] in row-major order, and the bins [down, across] of each region. */
export interface BinsCall {
  readonly features: Numbers;
  readonly shape: readonly [n: number, c: number, h: number, w: number];
  readonly rois: Numbers;
  readonly scale: number;
  readonly down: number;
  readonly across: number;
}

/** The elements of a bin along one dimension: from `low` to before `high`. */
interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * The largest element of each bin and its place in the plane, [K, C, down, across]: 0 and −1 where a bin has no element. It
 * reads features where they are, so that it needs no memory but for the results.
 */
export function largestInBins(call: BinsCall): { readonly values: Numbers; readonly places: Int32Array } {
  const { features, shape, rois, down, across } = call;
  const [pictures, channels, height, width] = shape;
  const regions = rois.length / 5;
  const count = regions * channels * down * across;
  const values = features instanceof Float32Array ? new Float32Array(count) : new Float64Array(count);
  const places = new Int32Array(count).fill(-1);
  for (let region = 0; region < regions; region++) {
    const picture = Math.trunc(rois[5 * region]!);
    if (!(picture >= 0 && picture < pictures)) continue;
    const rows = rangesOf(call, 5 * region + 2, down, height);
    const columns = rangesOf(call, 5 * region + 1, across, width);
    for (let c = 0; c < channels; c++) {
      const plane = (picture * channels + c) * height * width;
      let to = (region * channels + c) * down * across;
      for (const { low: top, high: bottom } of rows) {
        for (const { low: left, high: right } of columns) {
          if (bottom > top && right > left) {
            // As in torchvision's kernel, nothing is smaller than this: no NaN, and no minus infinity.
            let most = LEAST;
            let place = -1;
            for (let y = top; y < bottom; y++) {
              for (let x = left; x < right; x++) {
                const value = features[plane + y * width + x]!;
                if (value > most) {
                  most = value;
                  place = y * width + x;
                }
              }
            }
            values[to] = most;
            places[to] = place;
          }
          to++;
        }
      }
    }
  }
  return { values, places };
}

/** C's `-FLT_MAX`. */
const LEAST = -3.4028234663852886e38;

/** The bins of a region along one dimension, their edges rounded outwards and cut at the borders; `low` is where its edge is. */
function rangesOf({ rois, scale }: BinsCall, low: number, bins: number, length: number): readonly Range[] {
  const round = rois instanceof Float32Array ? Math.fround : (x: number) => x;
  const edge = (at: number): number => wholeOf(round(rois[at]! * round(scale)));
  const start = edge(low);
  const size = round(Math.max(edge(low + 2) - start + 1, 1) / bins);
  const cut = (x: number): number => Math.min(Math.max(x, 0), length);
  // A region with an edge that is NaN has no elements.
  if (Number.isNaN(size)) return new Array<Range>(bins).fill({ low: 0, high: 0 });
  return Array.from({ length: bins }, (_, i) => ({
    low: cut(Math.floor(round(i * size)) + start),
    high: cut(Math.ceil(round((i + 1) * size)) + start),
  }));
}

/**
 * To the nearest integer, and from halves away from zero, as C's `round`. Beyond 2^31, where torchvision's conversion to an
 * integer means nothing, it is cut; NaN stays.
 */
function wholeOf(x: number): number {
  const size = Math.abs(x);
  const whole = Math.floor(size);
  const rounded = Math.sign(x) * (size - whole >= 0.5 ? whole + 1 : whole);
  return Math.min(Math.max(rounded, -FAR), FAR);
}

const FAR = 2 ** 31;
