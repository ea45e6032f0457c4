// conv 3x3, 64x32 in workgroup memory
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read> w_buf: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> out_buf: array<f32>;
struct Params { x_offset: u32, out_offset: u32, x_n: u32, x_c: u32, x_d: u32, x_h: u32, x_w: u32, i_d: i32, o_d: u32, s_d: i32, d_d: i32, pad_d: i32, i_h: i32, o_h: u32, s_h: i32, d_h: i32, pad_h: i32, i_w: i32, o_w: u32, s_w: i32, d_w: i32, pad_w: i32, channels: u32, rows: u32, all_rows: u32, plane: u32, depth: u32, w_offset: u32, blocks: u32, outputs: u32, share: u32, pack: u32, chunks: u32, pixels: u32, size: u32, steps: u32, part_steps: u32, tile_rows: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn set_out(i: u32, v: f32) { let at = p.out_offset + i; out_buf[at] = v; }
fn w(i: u32) -> f32 { let at = p.w_offset + i; return w_buf[(at) / 4u][(at) % 4u]; }
fn w4(i: u32) -> vec4<f32> { let v = w_buf[p.w_offset / 4u + i]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
var<workgroup> inputs: array<f32, 1024>;
var<workgroup> weights: array<vec4<f32>, 128>;
@compute @workgroup_size(128)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) local: u32) {
  let part = id.z / p.tile_rows;
  let tile = (id.z % p.tile_rows * groups.x + id.x) * 64u;
  let group = id.y / p.blocks;
  // The pixel whose inputs this invocation brings, and where its window begins.
  let mine = min(tile + local % 64u, p.pixels - 1u);
  let within = mine % p.plane;
  let left = i32(within % p.o_w) * p.s_w - p.pad_w;
  let top = i32(within / p.o_w % p.o_h) * p.s_h - p.pad_h;
  
  let base = mine / p.plane * p.x_n + group * p.channels * p.x_c;
  let across = local % 16u;
  let down = local / 16u;
  var a0_0 = vec4<f32>();
    var a1_0 = vec4<f32>();
    var a2_0 = vec4<f32>();
    var a3_0 = vec4<f32>();
  for (var s = part * p.part_steps; s < min(p.steps, (part + 1u) * p.part_steps); s++) {
    let x = left + i32((s / p.chunks) % 3u) * p.d_w;
      let y = top + i32((s / p.chunks) / 3u % 3u) * p.d_h;
      
      let inside = (u32(x) < u32(p.i_w)) & (u32(y) < u32(p.i_h));
      let window = base + u32(y) * p.x_h + u32(x) * p.x_w;
      for (var row = local / 64u; row < 16u; row += 2u) {
        let c = s % p.chunks * 16u + row;
        var value = 0f;
        if (inside && c < p.channels) { value = x_at(window + c * p.x_c); }
        inputs[row * 64u + local % 64u] = value;
      }
    for (var i = local; i < 128u; i += 128u) {
      weights[i] = w4((id.y * p.steps + s) * 128u + i);
    }
    workgroupBarrier();
    for (var k = 0u; k < 16u; k++) {
      let w0 = weights[k * 8u + down * 1u + 0u];
      let x0 = inputs[k * 64u + across + 0u];
    let x1 = inputs[k * 64u + across + 16u];
    let x2 = inputs[k * 64u + across + 32u];
    let x3 = inputs[k * 64u + across + 48u];
      a0_0 = fma(vec4(x0), w0, a0_0);
    a1_0 = fma(vec4(x1), w0, a1_0);
    a2_0 = fma(vec4(x2), w0, a2_0);
    a3_0 = fma(vec4(x3), w0, a3_0);
    }
    workgroupBarrier();
  }
  let first = id.y % p.blocks * p.outputs + down * 4u;
  for (var i = 0u; i < p.share; i++) {
    let pixel = tile + across + i * 16u;
    if (pixel >= p.pixels) { break; }
    var r0: vec4<f32>;
    switch i { case 0u: { r0 = a0_0; }
    case 1u: { r0 = a1_0; }
    case 2u: { r0 = a2_0; }
    default: { r0 = a3_0; } }
    for (var o = 0u; o < p.pack && first + o < p.rows; o++) {
      let channel = group * p.rows + first + o;
      let value = r0[o];
      set_out(part * p.size + (pixel / p.plane * p.all_rows + channel) * p.plane + pixel % p.plane, value);
    }
  }
}

// sum of parts
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> out_fused_buf: array<f32>;
struct Params { x_offset: u32, out_fused_offset: u32, parts: u32, plane: u32, rows: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn set_out_fused(i: u32, v: f32) { let at = p.out_fused_offset + i; out_fused_buf[at] = v; }
fn out_expr(x0: f32) -> f32 {
  let v0 = max_f32(0f, x0);
  return v0;
}
fn set_out(i: u32, v: f32) { set_out_fused(i, out_expr(v)); }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  var sum = 0f;
  for (var part = 0u; part < p.parts; part++) { sum += x_at(part * p.count + i); }
  set_out(i, sum);
}
fn max_f32(x: f32, y: f32) -> f32 { return select(select(max(x, y), y, is_nan(y)), x, is_nan(x)); }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
