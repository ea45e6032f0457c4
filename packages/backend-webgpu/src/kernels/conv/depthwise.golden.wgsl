// depthwise conv 3x3
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read> w_buf: array<f32>;
@group(0) @binding(2) var<storage, read_write> out_fused_buf: array<f32>;
struct Params { x_offset: u32, out_fused_offset: u32, x_n: u32, x_c: u32, x_d: u32, x_h: u32, x_w: u32, i_d: i32, o_d: u32, k_d: u32, s_d: u32, d_d: u32, pad_d: i32, i_h: i32, o_h: u32, k_h: u32, s_h: u32, d_h: u32, pad_h: i32, i_w: i32, o_w: u32, k_w: u32, s_w: u32, d_w: u32, pad_w: i32, channels: u32, rows: u32, all_rows: u32, pixels: u32, quads: u32, lanes: u32, taps: u32, w_offset: u32, parts: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn set_out_fused(i: u32, v: f32) { let at = p.out_fused_offset + i; out_fused_buf[at] = v; }
fn out_expr(x0: f32) -> f32 {
  let v0 = max_f32(0f, x0);
  return v0;
}
fn set_out(i: u32, v: f32) { set_out_fused(i, out_expr(v)); }
fn w(i: u32) -> f32 { let at = p.w_offset + i; return w_buf[at]; }
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_id) local: vec3<u32>) {
  let index = (id.z * groups.x + id.x) * 64u + local.x;
  let live = index < p.lanes;
  var rest = min(index, p.lanes - 1u);
  let ow = rest % p.quads * 4u;
  rest /= p.quads;
  let oh = rest % p.o_h;
  rest /= p.o_h;
  
  let n = rest;
  if (!live) { return; }
  let channel = id.y;
  let plane = n * p.x_n + channel / p.rows * p.x_c;
  let start = i32(ow) * 1 - p.pad_w;
  var at = channel * p.taps;
  var r0 = vec4<f32>();
  
  for (var kh = 0u; kh < p.k_h; kh++) {
      let y = i32(oh * p.s_h + kh * p.d_h) - p.pad_h;
      let row_h = plane + u32(clamp(y, 0, p.i_h - 1)) * p.x_h; let inside = u32(y) < u32(p.i_h); let row = row_h;
      { let left = start;
      let f0 = w(at + 0u); let f1 = w(at + 1u); let f2 = w(at + 2u);
      let v0 = select(f32(0), x_at(row + u32(clamp(left + 0, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 0) < u32(p.i_w)));
      let v1 = select(f32(0), x_at(row + u32(clamp(left + 1, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 1) < u32(p.i_w)));
      let v2 = select(f32(0), x_at(row + u32(clamp(left + 2, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 2) < u32(p.i_w)));
      let v3 = select(f32(0), x_at(row + u32(clamp(left + 3, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 3) < u32(p.i_w)));
      let v4 = select(f32(0), x_at(row + u32(clamp(left + 4, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 4) < u32(p.i_w)));
      let v5 = select(f32(0), x_at(row + u32(clamp(left + 5, 0, p.i_w - 1)) * p.x_w), inside & (u32(left + 5) < u32(p.i_w)));
      r0 = fma(vec4(f0), vec4(v0, v1, v2, v3), r0);
      r0 = fma(vec4(f1), vec4(v1, v2, v3, v4), r0);
      r0 = fma(vec4(f2), vec4(v2, v3, v4, v5), r0);
      at += 3u;
      }
  }
  
  let to = ((n * p.all_rows + channel) * p.o_h + oh) * p.o_w + ow;
    for (var i = 0u; i < min(p.pixels, p.o_w - ow); i++) { set_out(to + i, r0[i]); }
}
fn max_f32(x: f32, y: f32) -> f32 { return select(select(max(x, y), y, is_nan(y)), x, is_nan(x)); }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
