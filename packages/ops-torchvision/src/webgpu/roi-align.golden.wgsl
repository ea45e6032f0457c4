// roi_align
@group(0) @binding(0) var<storage, read> feature_buf: array<f32>;
@group(0) @binding(1) var<storage, read> rois_buf: array<f32>;
@group(0) @binding(2) var<storage, read_write> out_buf: array<f32>;
struct Params { feature_offset: u32, feature_s0: u32, feature_s1: u32, feature_s2: u32, rois_offset: u32, rois_s0: u32, pictures: u32, height: u32, width: u32, down: u32, across: u32, scale: f32, ratio: f32, offset: f32, out_offset: u32, channels: u32, count: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn feature(c0: u32, c1: u32, c2: u32, c3: u32) -> f32 { let at = p.feature_offset + c0 * p.feature_s0 + c1 * p.feature_s1 + c2 * p.feature_s2 + c3; return feature_buf[at]; }
fn rois(c0: u32, c1: u32) -> f32 { let at = p.rois_offset + c0 * p.rois_s0 + c1; return rois_buf[at]; }
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
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
struct Samples { first: f32, bin: f32, number: f32, begin: f32, visited: u32 }
fn samples_of(start: f32, size: f32, bins: u32, at: u32, length: u32) -> Samples {
  let bin = divide(size, f32(bins));
  let covered = select(ceil(bin), 0f, is_nan(bin) || is_inf(bin));
  let number = select(covered, p.ratio, p.ratio > 0f);
  var samples = Samples(start + f32(at) * bin, bin, number, 0f, u32(p.ratio));
  if (p.ratio > 0f || is_nan(bin) || is_inf(bin) || bin <= 0f) { return samples; }
  // They are half an element or more apart.
  let step = bin / number;
  let end = clamp(floor((f32(length) - samples.first) / step) + 2f, 0f, number);
  samples.begin = clamp(ceil((-1f - samples.first) / step) - 2f, 0f, number);
  samples.visited = u32(clamp(end - samples.begin, 0f, 2f * f32(length) + 8f));
  return samples;
}
fn place_of(samples: Samples, i: u32) -> f32 {
  return samples.first + divide((samples.begin + f32(i) + 0.5f) * samples.bin, max(samples.number, 1f));
}
fn is_outside(place: f32, length: u32) -> bool { return !is_nan(place) && (place < -1f || place > f32(length)); }
struct Neighbors { low: u32, high: u32, part: f32 }
fn neighbors(place: f32, length: u32) -> Neighbors {
  let inside = max(place, 0f);
  let low = u32(inside);
  if (low + 1u >= length) { return Neighbors(length - 1u, length - 1u, 0f); }
  return Neighbors(low, low + 1u, inside - f32(low));
}
fn along(k: u32, low: u32, bins: u32, bin: u32, length: u32) -> Samples {
  let start = edge(k, low) - p.offset;
  let size = (edge(k, low + 2u) - p.offset) - start;
  return samples_of(start, size, bins, bin, length);
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
      if (is_nan(x) || is_nan(y)) { return f32_bits(0x7fc00000u); }
      let column = neighbors(x, p.width);
      let above = 1f - row.part;
      let left = 1f - column.part;
      sum += above * left * feature(u32(n), channel, row.low, column.low)
        + above * column.part * feature(u32(n), channel, row.low, column.high)
        + row.part * left * feature(u32(n), channel, row.high, column.low)
        + row.part * column.part * feature(u32(n), channel, row.high, column.high);
    }
  }
  return sum / max(number, 1f);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let px = i % p.across;
  let py = i / p.across % p.down;
  let c = i / (p.across * p.down) % p.channels;
  let k = i / (p.across * p.down * p.channels);
  set_out(i, mean_of(k, c, py, px));
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
fn f32_bits(x: u32) -> f32 { return bitcast<f32>(x); }
