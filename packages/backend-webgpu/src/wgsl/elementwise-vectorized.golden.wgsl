// elementwise
@group(0) @binding(0) var<storage, read> b0: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b1: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> b2: array<vec4<f32>>;
@group(0) @binding(3) var<uniform> p: array<vec4<u32>, 2>;
fn compute(x0: f32, x1: f32) -> f32 {
  let v0 = (x0 * x1);
  let v1 = (v0 * 0.5f);
  let v2 = (v0 * 0.707106769f);
  let v3 = erf_f32(v2);
  let v4 = (1f + v3);
  let v5 = (v1 * v4);
  return v5;
}
@compute @workgroup_size(256) fn main(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * p[0].y + id.x;
  if (i >= p[0].x) { return; }
  let e0 = b0[p[0].z + i];
  let e1 = b1[p[0].w + i];
  b2[p[1].x + i] = vec4<f32>(compute(e0[0], e1[0]), compute(e0[1], e1[1]), compute(e0[2], e1[2]), compute(e0[3], e1[3]));
}

fn erf_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let t = min(a, 4f);
  let large = copysign_f32(1f - exp(t * ((((((-0.000017285347f * t + 0.000383197126f) * t + -0.00388396438f) * t + 0.0242546219f) * t + -0.106777877f) * t + -0.634846687f) * t + -0.128717512f) - t), x);
  let small = x + x * (((((-0.000596761703f * z + 0.00499119423f) * z + -0.0267681349f) * z + 0.112819925f) * z + -0.376125336f) * z + 0.128379166f);
  return select(select(small, large, a > 0.927734375f), x, is_nan(x));
}
fn copysign_f32(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
