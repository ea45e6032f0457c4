// reduce add in pieces
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_buf: array<f32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, n: u32, out_offset: u32, results: u32, length: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn combine(x0: f32, x1: f32) -> f32 {
  let v0 = (x0 + x1);
  return v0;
}
fn start() -> f32 {
  return 0f;
}
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn lane(o: u32, first: u32, last: u32) -> f32 {
  let base = outer(o);
  var total = start();
  for (var at = first; at < last; at += 64u) {
    var part = start();
    let end = min(at + 64u, last);
    for (var k = at; k < end; k++) { part = combine(part, x_at(base + inner(k))); }
    total = combine(total, part);
  }
  return total;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let first = i / p.results * p.length;
  set_out(i, lane(i % p.results, first, min(first + p.length, p.n)));
}

// reduce add
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_buf: array<f32>;
struct Params { x_offset: u32, outer_offset: u32, inner_offset: u32, inner_s0: u32, n: u32, out_offset: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { let at = p.outer_offset + i; return at; }
fn inner(i: u32) -> u32 { var r = i; var at = p.inner_offset; at += r * p.inner_s0; return at; }
fn combine(x0: f32, x1: f32) -> f32 {
  let v0 = (x0 + x1);
  return v0;
}
fn start() -> f32 {
  return 0f;
}
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn lane(o: u32, first: u32, last: u32) -> f32 {
  let base = outer(o);
  var total = start();
  for (var at = first; at < last; at += 64u) {
    var part = start();
    let end = min(at + 64u, last);
    for (var k = at; k < end; k++) { part = combine(part, x_at(base + inner(k))); }
    total = combine(total, part);
  }
  return total;
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  set_out(i, lane(i, 0u, p.n));
}
