// reduce add by 128
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_buf: array<f32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, out_offset: u32, n: u32, pieces: u32, length: u32, divisor: f32, quarter: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn combine(x0: f32, x1: f32) -> f32 {
  let v0 = (x0 + x1);
  return v0;
}
fn start() -> f32 {
  return 0f;
}
var<workgroup> workgroup_f32: array<f32, 128>;
fn workgroup_reduce(lane: u32, x: f32) -> f32 {
  workgroupBarrier();
  workgroup_f32[lane] = x;
  for (var n = p.quarter; n > 0u; n /= 4u) {
    workgroupBarrier();
    if (lane < n) {
      let low = combine(workgroup_f32[lane], workgroup_f32[lane + n]);
      let high = combine(workgroup_f32[lane + 2u * n], workgroup_f32[lane + 3u * n]);
      workgroup_f32[lane] = combine(low, high);
    }
  }
  workgroupBarrier();
  return combine(workgroup_f32[0], workgroup_f32[1]);
}
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let base = outer(group / p.pieces);
  let first = group % p.pieces * p.length;
  let last = min(first + p.length, p.n);
  var total = start();
  for (var k = first + lane; k < last; k += 128u) { total = combine(total, x_at(base + inner(k))); }
  let all = workgroup_reduce(lane, total);
  if (lane == 0u) { set_out(group, all); }
}
