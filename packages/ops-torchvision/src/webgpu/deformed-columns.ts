import { type WebgpuKernel, webgpuKernel } from "@pt2/backend-webgpu";
import { columnGeometry, deformedColumns, hasSmallWindow } from "../deformed-columns.ts";

/**
 * `deformed_columns`: an invocation computes one sample in one channel. They lie in memory as the product that follows reads
 * them, [N, elements of the kernel, channels, pixels], where neighbors also read next to each other.
 */
export const deformedColumnsKernel: WebgpuKernel = webgpuKernel({
  ops: [deformedColumns],
  accepts: hasSmallWindow,
  prepare(call, args) {
    const { batch, channels, height, width, taps, pixels, across, kernel } = columnGeometry(args);
    const image = channels * taps * pixels;
    const columns = call.output(0, [image, 1, channels * pixels, pixels]);
    const inMemory = { shape: [batch, taps, channels, pixels], strides: [image, channels * pixels, pixels, 1] };
    const shader = call.shader("deformed_columns").write("out", { ...columns, ...inMemory });
    shader.at("feature", call.tensor(args.input)).at("offset", call.tensor(args.offset));
    if (args.use_mask) shader.at("mask", call.tensor(args.mask));
    shader.u32("height", height).u32("width", width).u32("channels", channels);
    shader.u32("taps", taps).u32("kernel_w", kernel[1]).u32("pixels", pixels).u32("across", across);
    shader.u32("share", channels / args.offset_groups);
    shader.i32("stride_h", args.stride_h).i32("pad_h", args.pad_h).i32("dilation_h", args.dilation_h);
    shader.i32("stride_w", args.stride_w).i32("pad_w", args.pad_w).i32("dilation_w", args.dilation_w);
    shader.forEach(
      batch * image,
      `let pixel = i % p.pixels;
  let row = pixel / p.across;
  let column = pixel % p.across;
  let c = i / p.pixels % p.channels;
  let tap = i / (p.pixels * p.channels) % p.taps;
  let n = i / (p.pixels * p.channels * p.taps);
  let k = c / p.share * p.taps + tap;
  let y = i32(row) * p.stride_h - p.pad_h + i32(tap / p.kernel_w) * p.dilation_h;
  let x = i32(column) * p.stride_w - p.pad_w + i32(tap % p.kernel_w) * p.dilation_w;
  let value = sample(n, c, f32(y) + offset(n, 2u * k, row, column), f32(x) + offset(n, 2u * k + 1u, row, column));
  set_out(i, ${args.use_mask ? "value * mask(n, k, row, column)" : "value"});`,
      { declarations: SAMPLE },
    );
  },
});

/** WGSL of `sample(n, c, y, x)`: a plane of features at a place, interpolated linearly. Beyond its border are zeros; NaN is NaN. */
const SAMPLE = `fn element(n: u32, c: u32, y: i32, x: i32) -> f32 {
  if (y < 0 || y >= i32(p.height) || x < 0 || x >= i32(p.width)) { return 0f; }
  return feature(n, c, u32(y), u32(x));
}
fn is_beyond(place: f32, length: u32) -> bool { return !is_nan(place) && (place <= -1f || place >= f32(length)); }
fn sample(n: u32, c: u32, y: f32, x: f32) -> f32 {
  if (is_beyond(y, p.height) || is_beyond(x, p.width)) { return 0f; }
  if (is_nan(y) || is_nan(x)) { return f32_bits(0x7fc00000u); }
  let top = floor(y);
  let left = floor(x);
  let below = y - top;
  let right = x - left;
  let row = i32(top);
  let column = i32(left);
  return (1f - below) * (1f - right) * element(n, c, row, column)
    + (1f - below) * right * element(n, c, row, column + 1)
    + below * (1f - right) * element(n, c, row + 1, column)
    + below * right * element(n, c, row + 1, column + 1);
}
`;
