// deformed_columns
@group(0) @binding(0) var<storage, read> feature_buf: array<f32>;
@group(0) @binding(1) var<storage, read> offset_buf: array<f32>;
@group(0) @binding(2) var<storage, read> mask_buf: array<f32>;
@group(0) @binding(3) var<storage, read_write> out_buf: array<f32>;
struct Params { out_offset: u32, feature_offset: u32, feature_s0: u32, feature_s1: u32, feature_s2: u32, offset_offset: u32, offset_s0: u32, offset_s1: u32, offset_s2: u32, mask_offset: u32, mask_s0: u32, mask_s1: u32, mask_s2: u32, height: u32, width: u32, channels: u32, taps: u32, kernel_w: u32, pixels: u32, across: u32, share: u32, stride_h: i32, pad_h: i32, dilation_h: i32, stride_w: i32, pad_w: i32, dilation_w: i32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn feature(c0: u32, c1: u32, c2: u32, c3: u32) -> f32 { let at = p.feature_offset + c0 * p.feature_s0 + c1 * p.feature_s1 + c2 * p.feature_s2 + c3; return feature_buf[at]; }
fn offset(c0: u32, c1: u32, c2: u32, c3: u32) -> f32 { let at = p.offset_offset + c0 * p.offset_s0 + c1 * p.offset_s1 + c2 * p.offset_s2 + c3; return offset_buf[at]; }
fn mask(c0: u32, c1: u32, c2: u32, c3: u32) -> f32 { let at = p.mask_offset + c0 * p.mask_s0 + c1 * p.mask_s1 + c2 * p.mask_s2 + c3; return mask_buf[at]; }
fn element(n: u32, c: u32, y: i32, x: i32) -> f32 {
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
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let pixel = i % p.pixels;
  let row = pixel / p.across;
  let column = pixel % p.across;
  let c = i / p.pixels % p.channels;
  let tap = i / (p.pixels * p.channels) % p.taps;
  let n = i / (p.pixels * p.channels * p.taps);
  let k = c / p.share * p.taps + tap;
  let y = i32(row) * p.stride_h - p.pad_h + i32(tap / p.kernel_w) * p.dilation_h;
  let x = i32(column) * p.stride_w - p.pad_w + i32(tap % p.kernel_w) * p.dilation_w;
  let value = sample(n, c, f32(y) + offset(n, 2u * k, row, column), f32(x) + offset(n, 2u * k + 1u, row, column));
  set_out(i, value * mask(n, k, row, column));
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn f32_bits(x: u32) -> f32 { return bitcast<f32>(x); }
