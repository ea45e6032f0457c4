// roi_pool
@group(0) @binding(0) var<storage, read> feature_buf: array<f32>;
@group(0) @binding(1) var<storage, read> rois_buf: array<f32>;
@group(0) @binding(2) var<storage, read_write> out_buf: array<f32>;
@group(0) @binding(3) var<storage, read_write> argmax_buf: array<i32>;
struct Params { feature_offset: u32, feature_s0: u32, feature_s1: u32, feature_s2: u32, rois_offset: u32, rois_s0: u32, pictures: u32, height: u32, width: u32, down: u32, across: u32, scale: f32, out_offset: u32, argmax_offset: u32, channels: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn feature(c0: u32, c1: u32, c2: u32, c3: u32) -> f32 { let at = p.feature_offset + c0 * p.feature_s0 + c1 * p.feature_s1 + c2 * p.feature_s2 + c3; return feature_buf[at]; }
fn rois(c0: u32, c1: u32) -> f32 { let at = p.rois_offset + c0 * p.rois_s0 + c1; return rois_buf[at]; }
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn set_argmax(i: u32, v: i32) { let at = p.argmax_offset + i; argmax_buf[at] = v; }
fn edge(k: u32, e: u32) -> f32 { return rois(k, e) * p.scale; }
fn picture(k: u32) -> i32 {
  let n = rois(k, 0u);
  if (is_nan(n) || n <= -1f || n >= f32(p.pictures)) { return -1; }
  return i32(n);
}
fn upper_half(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u); }
fn divide(a: f32, b: f32) -> f32 {
  let q = a / b;
  if (is_nan(q) || is_inf(q)) { return q; }
  let qh = upper_half(q);
  let ql = q - qh;
  let bh = upper_half(b);
  let bl = b - bh;
  let rest = ((a - qh * bh) - qh * bl - ql * bh) - ql * bl;
  return q + rest / b;
}
fn rounded(x: f32) -> f32 {
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
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let px = i % p.across;
  let py = i / p.across % p.down;
  let c = i / (p.across * p.down) % p.channels;
  let k = i / (p.across * p.down * p.channels);
  let n = picture(k);
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
  set_out(i, select(most, 0f, ys.x >= ys.y || xs.x >= xs.y));
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
