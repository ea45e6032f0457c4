// nms scores
@group(0) @binding(0) var<storage, read> scores_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> keys_buf: array<i32>;
struct Params { scores_offset: u32, n: u32, keys_offset: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn scores(i: u32) -> f32 { let at = p.scores_offset + i; return scores_buf[at]; }
fn set_keys(i: u32, v: i32) { let at = p.keys_offset + i; keys_buf[at] = v; }
fn key(x: f32) -> i32 {
  let bits = bitcast<i32>(x);
  let ordered = select(bits, 0, (bits << 1u) == 0);
  return select(ordered ^ ((ordered >> 31u) & 0x7fffffff), 0x7fffffff, is_nan(x));
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  if (i < p.n) { set_keys(i, key(scores(i))); } else { set_keys(i, -0x7fffffff - 1); }
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// nms order
@group(0) @binding(0) var<storage, read> keys_buf: array<vec4<i32>>;
@group(0) @binding(1) var<storage, read> dets_buf: array<f32>;
@group(0) @binding(2) var<storage, read_write> order_buf: array<i32>;
@group(0) @binding(3) var<storage, read_write> boxes_buf: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> areas_buf: array<f32>;
@group(0) @binding(5) var<storage, read_write> removed_buf: array<u32>;
struct Params { keys_offset: u32, dets_offset: u32, dets_s0: u32, order_offset: u32, boxes_offset: u32, areas_offset: u32, removed_offset: u32, n: u32, quads: u32, words: u32, count: u32 }
@group(0) @binding(6) var<uniform> p: Params;
fn keys(i: u32) -> i32 { let at = p.keys_offset + i; return keys_buf[(at) / 4u][(at) % 4u]; }
fn keys4(i: u32) -> vec4<i32> { let v = keys_buf[p.keys_offset / 4u + i]; return vec4<i32>(v[0], v[1], v[2], v[3]); }
fn dets(c0: u32, c1: u32) -> f32 { let at = p.dets_offset + c0 * p.dets_s0 + c1; return dets_buf[at]; }
fn set_order(i: u32, v: i32) { let at = p.order_offset + i; order_buf[at] = v; }
fn set_boxes4(i: u32, v: vec4<f32>) { boxes_buf[p.boxes_offset / 4u + i] = vec4<f32>(v[0], v[1], v[2], v[3]); }
fn set_areas(i: u32, v: f32) { let at = p.areas_offset + i; areas_buf[at] = v; }
fn set_removed(i: u32, v: u32) { let at = p.removed_offset + i; removed_buf[at] = v; }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let own = vec4<i32>(keys(i));
  var before = vec4<u32>();
  for (var quad = 0u; quad < p.quads; quad++) {
    let others = keys4(quad);
    let at = vec4<u32>(4u * quad) + vec4<u32>(0u, 1u, 2u, 3u);
    before += vec4<u32>((others > own) | ((others == own) & (at < vec4<u32>(i))));
  }
  let rank = before.x + before.y + before.z + before.w;
  let box = vec4<f32>(dets(i, 0u), dets(i, 1u), dets(i, 2u), dets(i, 3u));
  set_order(rank, i32(i));
  set_boxes4(rank, box);
  set_areas(rank, (box.z - box.x) * (box.w - box.y));
  if (i < p.words) { set_removed(i, select(0u, 0xffffffffu << (p.n & 31u), 32u * (i + 1u) > p.n)); }
}

// nms overlaps
@group(0) @binding(0) var<storage, read> boxes_buf: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> areas_buf: array<f32>;
@group(0) @binding(2) var<storage, read> removed_buf: array<u32>;
@group(0) @binding(3) var<storage, read_write> bits_buf: array<u32>;
struct Params { boxes_offset: u32, areas_offset: u32, removed_offset: u32, bits_offset: u32, n: u32, begin: u32, rows: u32, first: u32, width: u32, zero: u32, low: f32, high: f32, mantissa: u32, exponent: i32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn boxes(i: u32) -> f32 { let at = p.boxes_offset + i; return boxes_buf[(at) / 4u][(at) % 4u]; }
fn boxes4(i: u32) -> vec4<f32> { let v = boxes_buf[p.boxes_offset / 4u + i]; return vec4<f32>(v[0], v[1], v[2], v[3]); }
fn areas(i: u32) -> f32 { let at = p.areas_offset + i; return areas_buf[at]; }
fn removed(i: u32) -> u32 { let at = p.removed_offset + i; return removed_buf[at]; }
fn set_bits(i: u32, v: u32) { let at = p.bits_offset + i; bits_buf[at] = v; }
fn apart(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }
fn exceeds(x: u32, y: u32) -> bool {
  let shift = i32(x >> 23u) - i32(y >> 23u) - p.exponent - 24;
  if (shift < 0 || shift > 8) { return shift > 0; }
  let m = (x & 0x7fffffu) | 0x800000u;
  let n = (y & 0x7fffffu) | 0x800000u;
  // The product in parts of 12 bits.
  let cross = (n >> 12u) * (p.mantissa & 0xfffu) + (n & 0xfffu) * (p.mantissa >> 12u);
  let low = (n & 0xfffu) * (p.mantissa & 0xfffu) + ((cross & 0xfffu) << 12u);
  let high = (n >> 12u) * (p.mantissa >> 12u) + (cross >> 12u) + (low >> 24u);
  return (m << u32(shift)) > high;
}
fn overlaps(a: vec4<f32>, area_a: f32, b: vec4<f32>, area_b: f32) -> bool {
  let size = max(min(a.zw, b.zw) - max(a.xy, b.xy), vec2<f32>());
  let inner = apart(size.x * size.y);
  let whole = apart(area_a + area_b) - inner;
  if (inner <= 0f || (bitcast<u32>(whole) & 0x7f800000u) == 0x7f800000u || inner < p.low * whole) { return false; }
  return inner > p.high * whole || exceeds(bitcast<u32>(inner), bitcast<u32>(whole));
}
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let row = p.begin + i % p.rows;
  let word = p.first + i / p.rows;
  let is_removed = (removed(row / 32u) >> (row % 32u)) & 1u;
  if (is_removed == 1u || word < row / 32u || removed(word) == 0xffffffffu) { return; }
  let box = boxes4(row);
  let area = areas(row);
  var found = 0u;
  for (var k = select(0u, row % 32u + 1u, word == row / 32u); k < min(32u, p.n - 32u * word); k++) {
    let other = 32u * word + k;
    found |= select(0u, 1u << k, overlaps(box, area, boxes4(other), areas(other)));
  }
  set_bits((row - p.begin) * p.width + word - p.first, found);
}

// nms kept
@group(0) @binding(0) var<storage, read> bits_buf: array<u32>;
@group(0) @binding(1) var<storage, read_write> removed_buf: array<u32>;
@group(0) @binding(2) var<storage, read_write> kept_buf: array<u32>;
struct Params { bits_offset: u32, removed_offset: u32, kept_offset: u32, begin: u32, end: u32, first: u32, words: u32, count: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn bits(i: u32) -> u32 { let at = p.bits_offset + i; return bits_buf[at]; }
fn set_removed(i: u32, v: u32) { let at = p.removed_offset + i; removed_buf[at] = v; }
fn set_kept(i: u32, v: bool) { let at = p.kept_offset + i; kept_buf[at] = u32(v); }
var<workgroup> own: array<u32, 32>;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let width = p.words - p.first;
  for (var word = p.first; 32u * word < p.end; word++) {
    let block = (32u * word - p.begin) * width - p.first;
    if (lane < 32u) { own[lane] = bits(block + lane * width + word); }
    workgroupBarrier();
    var gone = removed_buf[p.removed_offset + word];
    for (var k = 0u; k < 32u; k++) { gone |= select(0u, own[k], ((gone >> k) & 1u) == 0u); }
    if (lane < 32u && 32u * word + lane < p.end) { set_kept(32u * word + lane, ((gone >> lane) & 1u) == 0u); }
    if (gone != 0xffffffffu) {
      for (var later = word + 1u + lane; later < p.words; later += 256u) {
        var found = removed_buf[p.removed_offset + later];
        for (var k = 0u; k < 32u; k++) {
          found |= select(0u, bits(block + k * width + later), ((gone >> k) & 1u) == 0u);
        }
        removed_buf[p.removed_offset + later] = found;
      }
    }
    storageBarrier();
    workgroupBarrier();
  }
}
