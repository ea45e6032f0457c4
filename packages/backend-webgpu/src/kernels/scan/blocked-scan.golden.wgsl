// aten::cumsum of blocks
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> totals_buf: array<i32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, n: u32, blocks: u32, length: u32, lanes: u32, totals_offset: u32, zero: u32, count: u32 }
@group(0) @binding(2) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn set_totals(i: u32, v: i32) { let at = p.totals_offset + i; totals_buf[at] = v; }
struct ScanState { a: f32, b: f32 }
fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }
fn start() -> ScanState { return ScanState(0f, 0f); }
fn one(x: f32, k: u32) -> ScanState { return ScanState(x, 0f); }
fn two(s: ScanState, t: ScanState) -> ScanState { let a = kept(s.a + t.a);
  let gained = kept(a - s.a);
  let lost = (s.a - (a - gained)) + (t.a - gained);
  return ScanState(a, select(s.b + t.b + lost, 0f, is_inf(a) || is_nan(a))); }
var<workgroup> shared_along: array<ScanState, 256>;
fn along(lane: u32, own: ScanState) {
  var s = own;
  shared_along[lane] = s;
  workgroupBarrier();
  for (var step = 1u; step < p.lanes; step *= 2u) {
    if (lane >= step) { s = two(shared_along[lane - step], s); }
    workgroupBarrier();
    shared_along[lane] = s;
    workgroupBarrier();
  }
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let o = group / p.blocks;
  let block = group % p.blocks;
  let base = outer(o);
  var before = start();
  
  let last = min((block + 1u) * p.length, p.n);
  for (var tile = block * p.length; tile < last; tile += 1024u) {
    let mine = tile + lane * 4u;
    let end = min(mine + 4u, last);
    var own = start();
    for (var k = mine; k < end; k++) { own = two(own, one(x_at(base + inner(k)), k)); }
    along(lane, own);
    
    before = two(before, shared_along[255]);
    workgroupBarrier();
  }
  if (lane == 0u) {
    set_totals(2u * group, bitcast<i32>(before.a));
    set_totals(2u * group + 1u, bitcast<i32>(before.b));
  }
}
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// aten::cumsum in blocks
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read> totals_buf: array<i32>;
@group(0) @binding(2) var<storage, read_write> out0_buf: array<f32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, n: u32, blocks: u32, length: u32, lanes: u32, totals_offset: u32, out0_offset: u32, to_outer_offset: u32, to_outer_s0: u32, to_inner_offset: u32, zero: u32, count: u32 }
@group(0) @binding(3) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn totals_at(o: u32) -> i32 { return totals_buf[p.totals_offset + o]; }
fn set_out0(i: u32, v: f32) { let at = p.out0_offset + i; out0_buf[at] = v; }
fn to_outer(i: u32) -> u32 { var r = i; var at = p.to_outer_offset; at += r * p.to_outer_s0; return at; }
fn to_inner(i: u32) -> u32 { let at = p.to_inner_offset + i; return at; }
struct ScanState { a: f32, b: f32 }
fn kept(x: f32) -> f32 { return bitcast<f32>(bitcast<u32>(x) ^ p.zero); }
fn start() -> ScanState { return ScanState(0f, 0f); }
fn one(x: f32, k: u32) -> ScanState { return ScanState(x, 0f); }
fn two(s: ScanState, t: ScanState) -> ScanState { let a = kept(s.a + t.a);
  let gained = kept(a - s.a);
  let lost = (s.a - (a - gained)) + (t.a - gained);
  return ScanState(a, select(s.b + t.b + lost, 0f, is_inf(a) || is_nan(a))); }
fn total_of(at: u32) -> ScanState { return ScanState(bitcast<f32>(totals_at(at)), bitcast<f32>(totals_at(at + 1u))); }
var<workgroup> shared_along: array<ScanState, 256>;
fn along(lane: u32, own: ScanState) {
  var s = own;
  shared_along[lane] = s;
  workgroupBarrier();
  for (var step = 1u; step < p.lanes; step *= 2u) {
    if (lane >= step) { s = two(shared_along[lane - step], s); }
    workgroupBarrier();
    shared_along[lane] = s;
    workgroupBarrier();
  }
}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  let o = group / p.blocks;
  let block = group % p.blocks;
  let base = outer(o);
  var before = start();
  var total = start();
  if (lane < block) { total = total_of(2u * (o * p.blocks + lane)); }
  along(lane, total);
  before = shared_along[255];
  workgroupBarrier();
  let last = min((block + 1u) * p.length, p.n);
  for (var tile = block * p.length; tile < last; tile += 1024u) {
    let mine = tile + lane * 4u;
    let end = min(mine + 4u, last);
    var own = start();
    for (var k = mine; k < end; k++) { own = two(own, one(x_at(base + inner(k)), k)); }
    along(lane, own);
    let to = to_outer(o);
    var s = before;
    if (lane > 0u) { s = two(s, shared_along[lane - 1u]); }
    for (var k = mine; k < end; k++) {
      s = two(s, one(x_at(base + inner(k)), k));
      set_out0(to + to_inner(k), s.a + s.b);
    }
    before = two(before, shared_along[255]);
    workgroupBarrier();
  }
  
}
fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
