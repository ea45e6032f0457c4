// attention of 32 queries
@group(0) @binding(0) var<storage, read> q_buf: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> k_buf: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> v_buf: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> out_buf: array<vec4<f32>>;
struct Params { q_offset: u32, q_first_offset: u32, q_first_s0: u32, q_row: u32, q_rows: u32, q_width: u32, k_offset: u32, k_first_offset: u32, k_first_s0: u32, k_row: u32, k_rows: u32, k_width: u32, v_offset: u32, v_first_offset: u32, v_first_s0: u32, v_row: u32, v_rows: u32, v_width: u32, scale: f32, unseen: f32, out_offset: u32, queries: u32, keys: u32, width: u32, features: u32, blocks: u32, each: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn q_at(o: u32) -> f32 { return q_buf[(p.q_offset + o) / 4u][(p.q_offset + o) % 4u]; }
fn q_at4(o: u32) -> vec4<f32> { let v = q_buf[(p.q_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn q_first(i: u32) -> u32 { var r = i; var at = p.q_first_offset; at += r * p.q_first_s0; return at; }
fn k_at(o: u32) -> f32 { return k_buf[(p.k_offset + o) / 4u][(p.k_offset + o) % 4u]; }
fn k_at4(o: u32) -> vec4<f32> { let v = k_buf[(p.k_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn k_first(i: u32) -> u32 { var r = i; var at = p.k_first_offset; at += r * p.k_first_s0; return at; }
fn v_at(o: u32) -> f32 { return v_buf[(p.v_offset + o) / 4u][(p.v_offset + o) % 4u]; }
fn v_at4(o: u32) -> vec4<f32> { let v = v_buf[(p.v_offset + o) / 4u]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn v_first(i: u32) -> u32 { var r = i; var at = p.v_first_offset; at += r * p.v_first_s0; return at; }
fn set_out4(i: u32, v: vec4<f32>) { out_buf[p.out_offset / 4u + i] = vec4<f32>(v[0], v[1], v[2], v[3]); }
fn load_q(first: u32, row: u32, column: u32) -> vec4<f32> {
  let at = first + min(row, p.q_rows - 1u) * p.q_row;
  return select(vec4<f32>(), q_at4(at + min(column, p.q_width - 4u)), row < p.q_rows);
}
fn load_k(first: u32, row: u32, column: u32) -> vec4<f32> {
  let at = first + min(row, p.k_rows - 1u) * p.k_row;
  return select(vec4<f32>(), k_at4(at + min(column, p.k_width - 4u)), row < p.k_rows);
}
fn load_v(first: u32, row: u32, column: u32) -> vec4<f32> {
  let at = first + min(row, p.v_rows - 1u) * p.v_row;
  return select(vec4<f32>(), v_at4(at + min(column, p.v_width - 4u)), row < p.v_rows);
}
fn score(head: u32, query: u32, key: u32, x: f32) -> f32 { return select(p.unseen, x * p.scale, key < p.keys && key <= query); }
fn keys_of(query: u32) -> u32 { return min(p.keys, query + 1u); }
fn store(head: u32, query: u32, feature: u32, v: vec4<f32>) {
  if (query >= p.queries || feature >= p.features) { return; }
  let at = (head * p.queries + query) * p.features + feature;
  set_out4(at / 4u, v);
}
var<workgroup> left: array<vec4<f32>, 256>;
var<workgroup> right: array<vec4<f32>, 256>;
var<workgroup> highest: array<f32, 256>;
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let head = group / p.blocks;
  let block = group % p.blocks * 32u;
  let x = lane % 8u;
  let y = lane / 8u;
  let q_base = q_first(head);
  let k_base = k_first(head);
  let v_base = v_first(head);
  var most0 = -3.4028234e38f; var total0 = 0f;
    var most1 = -3.4028234e38f; var total1 = 0f;
    var most2 = -3.4028234e38f; var total2 = 0f;
    var most3 = -3.4028234e38f; var total3 = 0f;
  var o0_0 = vec4<f32>();
    var o0_1 = vec4<f32>();
    var o0_2 = vec4<f32>();
    var o0_3 = vec4<f32>();
  for (var s = 0u; s < keys_of(block + 31u); s += 32u) {
    var c0 = vec4<f32>();
    var c1 = vec4<f32>();
    var c2 = vec4<f32>();
    var c3 = vec4<f32>();
    for (var e = 0u; e < p.width; e += 32u) {
      workgroupBarrier();
      for (var t = lane; t < 256u; t += 64u) {
      let column = e + t % 8u * 4u;
      left[t] = vec4<f32>();
      if (column < p.width) { left[t] = load_q(q_base, block + t / 8u, column); }
    }
      for (var t = lane; t < 256u; t += 64u) {
      let column = e + t % 8u * 4u;
      right[t] = vec4<f32>();
      if (column < p.width) { right[t] = load_k(k_base, s + t / 8u, column); }
    }
      workgroupBarrier();
      for (var q = 0u; q < 8u; q++) {
        let b0 = right[(4u * x + 0u) * 8u + q]; let b1 = right[(4u * x + 1u) * 8u + q]; let b2 = right[(4u * x + 2u) * 8u + q]; let b3 = right[(4u * x + 3u) * 8u + q];
        { let a = left[(4u * y + 0u) * 8u + q]; c0 += vec4<f32>(dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3)); }
    { let a = left[(4u * y + 1u) * 8u + q]; c1 += vec4<f32>(dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3)); }
    { let a = left[(4u * y + 2u) * 8u + q]; c2 += vec4<f32>(dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3)); }
    { let a = left[(4u * y + 3u) * 8u + q]; c3 += vec4<f32>(dot(a, b0), dot(a, b1), dot(a, b2), dot(a, b3)); }
      }
    }
    c0 = vec4<f32>(score(head, block + 4u * y + 0u, s + 4u * x + 0u, c0[0]), score(head, block + 4u * y + 0u, s + 4u * x + 1u, c0[1]), score(head, block + 4u * y + 0u, s + 4u * x + 2u, c0[2]), score(head, block + 4u * y + 0u, s + 4u * x + 3u, c0[3]));
    c1 = vec4<f32>(score(head, block + 4u * y + 1u, s + 4u * x + 0u, c1[0]), score(head, block + 4u * y + 1u, s + 4u * x + 1u, c1[1]), score(head, block + 4u * y + 1u, s + 4u * x + 2u, c1[2]), score(head, block + 4u * y + 1u, s + 4u * x + 3u, c1[3]));
    c2 = vec4<f32>(score(head, block + 4u * y + 2u, s + 4u * x + 0u, c2[0]), score(head, block + 4u * y + 2u, s + 4u * x + 1u, c2[1]), score(head, block + 4u * y + 2u, s + 4u * x + 2u, c2[2]), score(head, block + 4u * y + 2u, s + 4u * x + 3u, c2[3]));
    c3 = vec4<f32>(score(head, block + 4u * y + 3u, s + 4u * x + 0u, c3[0]), score(head, block + 4u * y + 3u, s + 4u * x + 1u, c3[1]), score(head, block + 4u * y + 3u, s + 4u * x + 2u, c3[2]), score(head, block + 4u * y + 3u, s + 4u * x + 3u, c3[3]));
    highest[(4u * y + 0u) * 8u + x] = max(max(c0.x, c0.y), max(c0.z, c0.w));
    highest[(4u * y + 1u) * 8u + x] = max(max(c1.x, c1.y), max(c1.z, c1.w));
    highest[(4u * y + 2u) * 8u + x] = max(max(c2.x, c2.y), max(c2.z, c2.w));
    highest[(4u * y + 3u) * 8u + x] = max(max(c3.x, c3.y), max(c3.z, c3.w));
    workgroupBarrier();
    var greatest0 = most0;
    for (var t = 0u; t < 8u; t++) { greatest0 = max(greatest0, highest[(4u * y + 0u) * 8u + t]); }
    let shrink0 = exp2(most0 - greatest0);
    most0 = greatest0;
    c0 = exp2(c0 - most0);
    total0 = total0 * shrink0 + (c0.x + c0.y) + (c0.z + c0.w);
    left[(4u * y + 0u) * 8u + x] = c0;
    var greatest1 = most1;
    for (var t = 0u; t < 8u; t++) { greatest1 = max(greatest1, highest[(4u * y + 1u) * 8u + t]); }
    let shrink1 = exp2(most1 - greatest1);
    most1 = greatest1;
    c1 = exp2(c1 - most1);
    total1 = total1 * shrink1 + (c1.x + c1.y) + (c1.z + c1.w);
    left[(4u * y + 1u) * 8u + x] = c1;
    var greatest2 = most2;
    for (var t = 0u; t < 8u; t++) { greatest2 = max(greatest2, highest[(4u * y + 2u) * 8u + t]); }
    let shrink2 = exp2(most2 - greatest2);
    most2 = greatest2;
    c2 = exp2(c2 - most2);
    total2 = total2 * shrink2 + (c2.x + c2.y) + (c2.z + c2.w);
    left[(4u * y + 2u) * 8u + x] = c2;
    var greatest3 = most3;
    for (var t = 0u; t < 8u; t++) { greatest3 = max(greatest3, highest[(4u * y + 3u) * 8u + t]); }
    let shrink3 = exp2(most3 - greatest3);
    most3 = greatest3;
    c3 = exp2(c3 - most3);
    total3 = total3 * shrink3 + (c3.x + c3.y) + (c3.z + c3.w);
    left[(4u * y + 3u) * 8u + x] = c3;
    workgroupBarrier();
    for (var t = lane; t < 256u; t += 64u) {
      let column = 0u + t % 8u * 4u;
      right[t] = vec4<f32>();
      if (column < p.features) { right[t] = load_v(v_base, s + t / 8u, column); }
    }
    workgroupBarrier();
    o0_0 *= shrink0;
    o0_1 *= shrink1;
    o0_2 *= shrink2;
    o0_3 *= shrink3;
    for (var q = 0u; q < 8u; q++) {
      let b0 = right[(4u * q + 0u) * 8u + x]; let b1 = right[(4u * q + 1u) * 8u + x]; let b2 = right[(4u * q + 2u) * 8u + x]; let b3 = right[(4u * q + 3u) * 8u + x];
      { let a = left[(4u * y + 0u) * 8u + q]; o0_0 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), o0_0)))); }
    { let a = left[(4u * y + 1u) * 8u + q]; o0_1 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), o0_1)))); }
    { let a = left[(4u * y + 2u) * 8u + q]; o0_2 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), o0_2)))); }
    { let a = left[(4u * y + 3u) * 8u + q]; o0_3 = fma(b3, vec4<f32>(a[3]), fma(b2, vec4<f32>(a[2]), fma(b1, vec4<f32>(a[1]), fma(b0, vec4<f32>(a[0]), o0_3)))); }
    }
    workgroupBarrier();
  }
  highest[(4u * y + 0u) * 8u + x] = total0;
    highest[(4u * y + 1u) * 8u + x] = total1;
    highest[(4u * y + 2u) * 8u + x] = total2;
    highest[(4u * y + 3u) * 8u + x] = total3;
  workgroupBarrier();
  // A loop, since what is unrolled takes compilers long.
  for (var i = 0u; i < p.each; i++) {
    var most = most0;
    var o0 = o0_0;
    switch i {
      case 1u: { most = most1; o0 = o0_1; }
      case 2u: { most = most2; o0 = o0_2; }
      case 3u: { most = most3; o0 = o0_3; }
      default: {}
    }
    var sum = 0f;
    for (var t = 0u; t < 8u; t++) { sum += highest[(4u * y + i) * 8u + t]; }
    let inverse = select(1f / sum, 0f, sum == 0f);
    let row = block + 4u * y + i;
    store(head, row, 0u + 4u * x, o0 * inverse);
    
  }
}
