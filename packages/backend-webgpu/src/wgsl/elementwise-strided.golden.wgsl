// elementwise
@group(0) @binding(0) var<storage, read> b0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> b2: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> p: array<vec4<u32>, 3>;
fn compute(x0: f32, x1: f32) -> f32 {
  let v0 = (x0 + x1);
  return v0;
}
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * p[0].y + id.x;
  if (i >= p[0].x) { return; }
  let r1 = i / p[0].z;
  let c1 = i - r1 * p[0].z;
  let t0 = r1;
  let a0 = p[0].w + 4u * c1 * p[1].x + t0;
  let e0_0 = b0[a0 + 0u * p[1].x];
  let e0_1 = b0[a0 + 1u * p[1].x];
  let e0_2 = b0[a0 + 2u * p[1].x];
  let e0_3 = b0[a0 + 3u * p[1].x];
  for (var r = 0u; r < 4u; r++) {
  let c0 = 4u * t0 + r;
  let e1 = b1[p[1].y + c0 * p[1].z + c1];
  b2[p[1].w + c0 * p[2].x + c1] = vec4<f32>(compute(e0_0[r], e1[0]), compute(e0_1[r], e1[1]), compute(e0_2[r], e1[2]), compute(e0_3[r], e1[3]));
  }
}
