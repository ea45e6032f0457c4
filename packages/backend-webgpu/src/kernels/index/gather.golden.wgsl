// gather
@group(0) @binding(0) var<storage, read> self_buf: array<f32>;
@group(0) @binding(1) var<storage, read> index_buf: array<i32>;
@group(0) @binding(2) var<storage, read_write> out_buf: array<f32>;
@group(0) @binding(3) var<storage, read_write> guard_buf: array<atomic<i32>>;
struct Params { self_offset: u32, index_offset: u32, base_offset: u32, base_n1: u32, size: u32, stride: u32, out_offset: u32, guard: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn self_at(o: u32) -> f32 { return self_buf[p.self_offset + o]; }
fn index(i: u32) -> i32 { let at = p.index_offset + i; return index_buf[at]; }
fn base(i: u32) -> u32 { var r = i; var at = p.base_offset; at += (r % p.base_n1); return at; }
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn fail(value: i32) { if (atomicExchange(&guard_buf[2u * p.guard], 1i) == 0i) { atomicStore(&guard_buf[2u * p.guard + 1u], value); } }
fn inside(index: i32, size: u32) -> u32 {
  if (index < 0 || u32(index) >= size) { fail(index); return 0u; }
  return u32(index);
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  set_out(i, self_at(base(i) + inside(index(i), p.size) * p.stride));
}
