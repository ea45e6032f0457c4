// softmax
@group(0) @binding(0) var<storage, read> x_buf: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> out_buf: array<vec4<f32>>;
struct Params { x_offset: u32, first_offset: u32, first_s0: u32, written_offset: u32, written_s0: u32, step: u32, out_step: u32, out_offset: u32, row: u32, quarter: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[(p.x_offset + o) / 4u][(p.x_offset + o) % 4u]; }
fn x_at4(o: u32) -> vec4<f32> { let v = x_buf[(p.x_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn first(i: u32) -> u32 { var r = i; var at = p.first_offset; at += r * p.first_s0; return at; }
fn written(i: u32) -> u32 { var r = i; var at = p.written_offset; at += r * p.written_s0; return at; }
fn set_out4(i: u32, v: vec4<f32>) { out_buf[p.out_offset / 4u + i] = vec4<f32>(v[0], v[1], v[2], v[3]); }
var<workgroup> workgroup_f32: array<f32, 128>;
fn workgroup_sum(lane: u32, x: f32) -> f32 {
  workgroupBarrier();
  workgroup_f32[lane] = x;
  for (var n = p.quarter; n > 0u; n /= 4u) {
    workgroupBarrier();
    if (lane < n) {
      let low = workgroup_f32[lane] + workgroup_f32[lane + n];
      let high = workgroup_f32[lane + 2u * n] + workgroup_f32[lane + 3u * n];
      workgroup_f32[lane] = low + high;
    }
  }
  workgroupBarrier();
  return workgroup_f32[0] + workgroup_f32[1];
}
fn workgroup_max(lane: u32, x: f32) -> f32 {
  workgroupBarrier();
  workgroup_f32[lane] = x;
  for (var n = p.quarter; n > 0u; n /= 4u) {
    workgroupBarrier();
    if (lane < n) {
      let low = max(workgroup_f32[lane], workgroup_f32[lane + n]);
      let high = max(workgroup_f32[lane + 2u * n], workgroup_f32[lane + 3u * n]);
      workgroup_f32[lane] = max(low, high);
    }
  }
  workgroupBarrier();
  return max(workgroup_f32[0], workgroup_f32[1]);
}
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let row = group;
  let base = first(row);
  let out = written(row);
  var most = vec4<f32>(-3.4028234e38f);
  for (var i = 4u * lane; i < p.row; i += 512u) { most = max(most, x_at4(base + i)); }
  let top = workgroup_max(lane, max(max(most.x, most.y), max(most.z, most.w)));
  var sum = vec4<f32>();
  for (var i = 4u * lane; i < p.row; i += 512u) { let e = x_at4(base + i) - top; sum += select(exp(e), e, ((bitcast<vec4<u32>>(e) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u))); }
  let total = workgroup_sum(lane, ((sum.x + sum.y) + (sum.z + sum.w)));
  let scale = 1f / total;
  for (var i = 4u * lane; i < p.row; i += 512u) { set_out4((out + i) / 4u, exp(x_at4(base + i) - top) * scale); }
}
