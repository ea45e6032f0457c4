// matmul 32x32
@group(0) @binding(0) var<storage, read> b_buf: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> a_buf: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out_buf: array<vec4<f32>>;
struct Params { m: u32, n: u32, k: u32, width: u32, first: u32, b_offset: u32, b_k: u32, a_offset: u32, a_row: u32, out_offset: u32, down: u32, across: u32, depth: u32, batches: u32, each: u32, count: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn b_at(o: u32) -> f32 { return b_buf[(p.b_offset + o) / 4u][(p.b_offset + o) % 4u]; }
fn b_at4(o: u32) -> vec4<f32> { let v = b_buf[(p.b_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn a_at(o: u32) -> f32 { return a_buf[(p.a_offset + o) / 4u][(p.a_offset + o) % 4u]; }
fn a_at4(o: u32) -> vec4<f32> { let v = a_buf[(p.a_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn set_out4(i: u32, v: vec4<f32>) { out_buf[p.out_offset / 4u + i] = vec4<f32>(v[0], v[1], v[2], v[3]); }
fn a4(batch: u32, row: u32, k: u32) -> vec4<f32> { return a_at4(0u + min(row, p.m - 1u) * p.a_row + k); }
fn b4x4(batch: u32, k: u32, column: u32) -> mat4x4<f32> {
  let base = 0u + min(column, p.n - 4u);
  return mat4x4<f32>(b_at4(base + (k + 0u) * p.b_k), b_at4(base + (k + 1u) * p.b_k), b_at4(base + (k + 2u) * p.b_k), b_at4(base + (k + 3u) * p.b_k));
}
fn bias4(column: u32) -> vec4<f32> { return vec4<f32>(); }
fn store(batch: u32, row: u32, column: u32, v: vec4<f32>) {
  if (row < p.m && column < p.n) { set_out4(((batch * p.m + row) * p.width + p.first + column) / 4u, v); }
}
var<workgroup> a_tile: array<vec4<f32>, 256>;
var<workgroup> b_tile: array<vec4<f32>, 256>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let first_column = 32u * (group % p.across);
  let first_row = 32u * (group / p.across % p.down);
  let stack = group / p.across / p.down;
  let batch = stack % p.batches;
  let start = stack / p.batches * p.depth;
  let end = min(start + p.depth, p.k);
  let x = lane % 8u;
  let y = lane / 8u;
  var c0 = vec4<f32>(); var c1 = vec4<f32>(); var c2 = vec4<f32>(); var c3 = vec4<f32>();
  for (var k = start; k < end; k += 32u) {
    for (var t = lane; t < 256u; t += 64u) {
      let at = k + t % 8u * 4u;
      a_tile[t] = vec4<f32>();
      if (at < end) { a_tile[t] = a4(batch, first_row + t / 8u, at); }
    }
    for (var t = lane; t < 64u; t += 64u) {
      let row = 4u * (t / 8u);
      let column = t % 8u;
      var block = mat4x4<f32>();
      if (k + row < end) { block = b4x4(batch, k + row, first_column + 4u * column); }
      b_tile[(row + 0u) * 8u + column] = block[0];
      b_tile[(row + 1u) * 8u + column] = block[1];
      b_tile[(row + 2u) * 8u + column] = block[2];
      b_tile[(row + 3u) * 8u + column] = block[3];
    }
    workgroupBarrier();
    for (var q = 0u; q < 8u; q++) {
      let b0 = b_tile[(4u * q + 0u) * 8u + x];
      let b1 = b_tile[(4u * q + 1u) * 8u + x];
      let b2 = b_tile[(4u * q + 2u) * 8u + x];
      let b3 = b_tile[(4u * q + 3u) * 8u + x];
      { let a = a_tile[(4u * y + 0u) * 8u + q]; c0 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), c0)))); }
      { let a = a_tile[(4u * y + 1u) * 8u + q]; c1 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), c1)))); }
      { let a = a_tile[(4u * y + 2u) * 8u + q]; c2 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), c2)))); }
      { let a = a_tile[(4u * y + 3u) * 8u + q]; c3 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), c3)))); }
    }
    workgroupBarrier();
  }
  let column = first_column + 4u * x;
  let bias = bias4(column);
// A loop, since what is unrolled takes compilers long.
  for (var i = 0u; i < p.each; i++) {
    var c = c0;
    switch i { case 1u: { c = c1; } case 2u: { c = c2; } case 3u: { c = c3; } default: {} }
    store(batch, first_row + 4u * y + i, column, c + bias);
  }
}
