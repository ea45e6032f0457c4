// layer_norm
@group(0) @binding(0) var<storage, read> x_buf: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> weight_buf: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> bias_buf: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out_buf: array<vec4<f32>>;
struct Params { x_offset: u32, first_offset: u32, first_s0: u32, eps: f32, n: f32, weight_offset: u32, bias_offset: u32, out_offset: u32, row: u32, quarter: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[(p.x_offset + o) / 4u][(p.x_offset + o) % 4u]; }
fn x_at4(o: u32) -> vec4<f32> { let v = x_buf[(p.x_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn first(i: u32) -> u32 { var r = i; var at = p.first_offset; at += r * p.first_s0; return at; }
fn weight_at(o: u32) -> f32 { return weight_buf[(p.weight_offset + o) / 4u][(p.weight_offset + o) % 4u]; }
fn weight_at4(o: u32) -> vec4<f32> { let v = weight_buf[(p.weight_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn bias_at(o: u32) -> f32 { return bias_buf[(p.bias_offset + o) / 4u][(p.bias_offset + o) % 4u]; }
fn bias_at4(o: u32) -> vec4<f32> { let v = bias_buf[(p.bias_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn set_out4(i: u32, v: vec4<f32>) { out_buf[p.out_offset / 4u + i] = vec4<f32>(v[0], v[1], v[2], v[3]); }
var<workgroup> workgroup_f32: array<f32, 32>;
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
@compute @workgroup_size(32)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let row = group;
  let base = first(row);
  var sum = vec4<f32>();
  for (var i = 4u * lane; i < p.row; i += 128u) { sum += x_at4(base + i); }
  let about = workgroup_sum(lane, ((sum.x + sum.y) + (sum.z + sum.w))) / p.n;
  var rest = vec4<f32>();
  var squares = vec4<f32>();
  for (var i = 4u * lane; i < p.row; i += 128u) { let d = x_at4(base + i) - about; rest += d; squares += d * d; }
  let off = workgroup_sum(lane, ((rest.x + rest.y) + (rest.z + rest.w))) / p.n;
  let mean = about + off;
  let variance = max(workgroup_sum(lane, ((squares.x + squares.y) + (squares.z + squares.w))) / p.n - off * off, 0f);
  let rstd = inverseSqrt(variance + p.eps);
  
  for (var i = 4u * lane; i < p.row; i += 128u) { let at = i; set_out4((row * p.row + i) / 4u, (x_at4(base + i) - mean) * rstd * weight_at4(at) + bias_at4(at)); }
}
