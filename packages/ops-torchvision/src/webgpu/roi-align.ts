import { type WebgpuKernel, webgpuKernel } from "@pt2/backend-webgpu";
import { psRoiAlign } from "../ps-roi.ts";
import { FEW_SAMPLES } from "../regions.ts";
import { roiAlign } from "../roi-align.ts";
import { forEachBin, REGIONS, regionShader } from "./regions.ts";
import { NEIGHBORS, SAMPLES } from "./samples.ts";

/** `roi_align`: an invocation goes over the samples of one bin in one channel. */
export const roiAlignKernel: WebgpuKernel = webgpuKernel({
  ops: [roiAlign],
  accepts: ({ sampling_ratio }) => sampling_ratio <= FEW_SAMPLES,
  fuses: true,
  prepare(call, args) {
    const shader = regionShader(call, "roi_align", args).f32("ratio", Math.max(args.sampling_ratio, 0));
    shader.f32("offset", args.aligned ? 0.5 : 0).result("out");
    const size = args.aligned ? "size" : "select(size, 1f, size < 1f)";
    const means = meansOf(size, "sum / max(number, 1f)");
    forEachBin(shader, args, args.input.shape[1]!, "set_out(i, mean_of(k, c, py, px));", means);
  },
});

/** `ps_roi_align`: the same, where each bin has channels of its own, which are the second result. */
export const psRoiAlignKernel: WebgpuKernel = webgpuKernel({
  ops: [psRoiAlign],
  accepts: ({ sampling_ratio }) => sampling_ratio <= FEW_SAMPLES,
  fuses: true,
  prepare(call, args) {
    const channels = args.input.shape[1]! / (args.pooled_height * args.pooled_width);
    const shader = regionShader(call, "ps_roi_align", args).f32("ratio", Math.max(args.sampling_ratio, 0));
    shader.f32("offset", 0.5).result("out");
    shader.result("mapping", 1);
    const body = `let channel = (c * p.down + py) * p.across + px;
  set_mapping(i, i32(channel));
  set_out(i, mean_of(k, channel, py, px));`;
    // The mean of nothing is NaN, in torchvision too.
    forEachBin(shader, args, channels, body, meansOf("size", `select(sum / number, ${NAN}, number == 0f)`));
  },
});

const NAN = "f32_bits(0x7fc00000u)";

/**
 * WGSL of `mean_of(region, channel, bin…)`, given that of the size that a region counts as, and of the mean by the `sum` of
 * samples and their `number`. The sum is 0 in a picture that is not there, and NaN where a sample that counts is.
 */
function meansOf(size: string, mean: string): string {
  return `${REGIONS}${SAMPLES}${NEIGHBORS}fn along(k: u32, low: u32, bins: u32, bin: u32, length: u32) -> Samples {
  let start = edge(k, low) - p.offset;
  let size = (edge(k, low + 2u) - p.offset) - start;
  return samples_of(start, ${size}, bins, bin, length);
}
fn mean_of(k: u32, channel: u32, py: u32, px: u32) -> f32 {
  let n = picture(k);
  let ys = along(k, 2u, p.down, py, p.height);
  let xs = along(k, 1u, p.across, px, p.width);
  let number = ys.number * xs.number;
  var sum = 0f;
  let rows = select(ys.visited, 0u, n < 0 || p.height == 0u || p.width == 0u);
  for (var r = 0u; r < rows; r++) {
    let y = place_of(ys, r);
    if (is_outside(y, p.height)) { continue; }
    let row = neighbors(y, p.height);
    for (var s = 0u; s < xs.visited; s++) {
      let x = place_of(xs, s);
      if (is_outside(x, p.width)) { continue; }
      if (is_nan(x) || is_nan(y)) { return ${NAN}; }
      let column = neighbors(x, p.width);
      let above = 1f - row.part;
      let left = 1f - column.part;
      sum += above * left * feature(u32(n), channel, row.low, column.low)
        + above * column.part * feature(u32(n), channel, row.low, column.high)
        + row.part * left * feature(u32(n), channel, row.high, column.low)
        + row.part * column.part * feature(u32(n), channel, row.high, column.high);
    }
  }
  return ${mean};
}
`;
}
