import { type WebgpuKernel, webgpuKernel } from "@pt2/backend-webgpu";
import { psRoiPool } from "../ps-roi.ts";
import { roiPool } from "../roi-pool.ts";
import { DIVIDE } from "./divide.ts";
import { forEachBin, REGIONS, regionShader } from "./regions.ts";

/** `roi_pool`: the largest element of a bin and its place; 0 and −1 where a bin has none, as in a picture that is not there. */
export const roiPoolKernel: WebgpuKernel = webgpuKernel({
  ops: [roiPool],
  fuses: true,
  prepare(call, args) {
    const shader = regionShader(call, "roi_pool", args);
    shader.result("out");
    shader.result("argmax", 1);
    const body = `let n = picture(k);
  let ys = bin_of(k, 2u, 1f, p.down, py, p.height);
  let xs = bin_of(k, 1u, 1f, p.across, px, select(0u, p.width, n >= 0));
  // As in torchvision's kernel, nothing is smaller than this: no NaN, and no minus infinity.
  let least = -3.4028234663852886e38f;
  var most = least;
  var place = -1i;
  for (var y = ys.x; y < ys.y; y++) {
    for (var x = xs.x; x < xs.y; x++) {
      let value = feature(u32(n), c, y, x);
      if (!is_nan(value) && value > most) {
        most = value;
        place = i32(y * p.width + x);
      }
    }
  }
  set_argmax(i, place);
  set_out(i, select(most, 0f, ys.x >= ys.y || xs.x >= xs.y));`;
    forEachBin(shader, args, args.input.shape[1]!, body, BINS);
  },
});

/**
 * `ps_roi_pool`: means of bins that have channels of their own, which are the second result. As in torchvision's kernel the
 * last row and the last column are left out.
 */
export const psRoiPoolKernel: WebgpuKernel = webgpuKernel({
  ops: [psRoiPool],
  fuses: true,
  prepare(call, args) {
    const shader = regionShader(call, "ps_roi_pool", args);
    shader.result("out");
    shader.result("mapping", 1);
    const channels = args.input.shape[1]! / (args.pooled_height * args.pooled_width);
    const body = `let channel = (c * p.down + py) * p.across + px;
  set_mapping(i, i32(channel));
  let n = picture(k);
  let ys = bin_of(k, 2u, 0f, p.down, py, max(p.height, 1u) - 1u);
  let xs = bin_of(k, 1u, 0f, p.across, px, select(0u, max(p.width, 1u) - 1u, n >= 0));
  var sum = 0f;
  for (var y = ys.x; y < ys.y; y++) {
    for (var x = xs.x; x < xs.y; x++) { sum += feature(u32(n), channel, y, x); }
  }
  set_out(i, sum / f32(max((ys.y - ys.x) * (xs.y - xs.x), 1u)));`;
    forEachBin(shader, args, channels, body, BINS);
  },
});

/**
 * WGSL of `bin_of(k, low, more, bins, at, length)`: the elements of bin `at` of region k, from the first to before the last
 * one, along the dimension of edge `low`. Edges of the region are rounded to the nearest, and those of its bins outwards;
 * `more` elements belong to a region beside what lies between its edges. One with an edge that is NaN has none.
 */
const BINS = `${REGIONS}${DIVIDE}fn rounded(x: f32) -> f32 {
  let whole = floor(abs(x));
  // Beyond 2^31 torchvision's conversion to an integer means nothing.
  return sign(x) * min(whole + select(0f, 1f, abs(x) - whole >= 0.5f), 2147483648f);
}
fn bin_of(k: u32, low: u32, more: f32, bins: u32, at: u32, length: u32) -> vec2<u32> {
  if (is_nan(edge(k, low)) || is_nan(edge(k, low + 2u))) { return vec2<u32>(0u, 0u); }
  let start = rounded(edge(k, low));
  let size = rounded(edge(k, low + 2u)) - start + more;
  let bin = divide(select(size, 1f, size < 1f), f32(bins));
  let begin = floor(f32(at) * bin) + start;
  let end = ceil(f32(at + 1u) * bin) + start;
  let first = u32(clamp(begin, 0f, f32(length)));
  return vec2<u32>(first, max(first, u32(clamp(end, 0f, f32(length)))));
}
`;
