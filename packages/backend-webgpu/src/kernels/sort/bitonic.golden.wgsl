// sort
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> values_buf: array<f32>;
@group(0) @binding(2) var<storage, read_write> indices_buf: array<i32>;
@group(0) @binding(3) var<storage, read_write> positions_buf: array<i32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, n: u32, kept: u32, values_offset: u32, indices_offset: u32, positions_offset: u32, to_outer_offset: u32, to_outer_s0: u32, to_inner_offset: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn set_values(i: u32, v: f32) { let at = p.values_offset + i; values_buf[at] = v; }
fn set_indices(i: u32, v: i32) { let at = p.indices_offset + i; indices_buf[at] = v; }
fn set_positions(i: u32, v: i32) { let at = p.positions_offset + i; positions_buf[at] = v; }
fn to_outer(i: u32) -> u32 { var r = i; var at = p.to_outer_offset; at += r * p.to_outer_s0; return at; }
fn to_inner(i: u32) -> u32 { let at = p.to_inner_offset + i; return at; }
fn key(x: f32) -> i32 { let bits = bitcast<i32>(select(x, 0f, x == 0f));
  return select(bits ^ ((bits >> 31u) & 0x7fffffff), 0x7fffffff, is_nan(x)); }
fn before(a: i32, i: u32, b: i32, j: u32) -> bool { return a < b || (a == b && i < j); }
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
  let i = id.y * groups.x * 64u + id.x;
  if (i >= p.count) { return; }
  let lane = i / p.n;
  let at = i % p.n;
  let base = outer(lane);
  let x = x_at(base + inner(at));
  let own = key(x);
  var rank = 0u;
  for (var k = 0u; k < p.n; k++) { rank += u32(before(key(x_at(base + inner(k))), k, own, at)); }
  set_positions(lane * p.n + rank, i32(at));
  if (rank < p.kept) {
    let to = to_outer(lane) + to_inner(rank);
    set_values(to, x);
    set_indices(to, i32(at));
  }
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }

// sort ties
@group(0) @binding(0) var<storage, read> x_buf: array<f32>;
@group(0) @binding(1) var<storage, read_write> positions_buf: array<i32>;
@group(0) @binding(2) var<storage, read_write> values_buf: array<f32>;
@group(0) @binding(3) var<storage, read_write> indices_buf: array<i32>;
struct Params { x_offset: u32, outer_offset: u32, outer_s0: u32, inner_offset: u32, positions_offset: u32, n: u32, kept: u32, size: u32, values_offset: u32, indices_offset: u32, to_outer_offset: u32, to_outer_s0: u32, to_inner_offset: u32, count: u32 }
@group(0) @binding(4) var<uniform> p: Params;
fn x_at(o: u32) -> f32 { return x_buf[p.x_offset + o]; }
fn outer(i: u32) -> u32 { var r = i; var at = p.outer_offset; at += r * p.outer_s0; return at; }
fn inner(i: u32) -> u32 { let at = p.inner_offset + i; return at; }
fn set_positions(i: u32, v: i32) { let at = p.positions_offset + i; positions_buf[at] = v; }
fn set_values(i: u32, v: f32) { let at = p.values_offset + i; values_buf[at] = v; }
fn set_indices(i: u32, v: i32) { let at = p.indices_offset + i; indices_buf[at] = v; }
fn to_outer(i: u32) -> u32 { var r = i; var at = p.to_outer_offset; at += r * p.to_outer_s0; return at; }
fn to_inner(i: u32) -> u32 { let at = p.to_inner_offset + i; return at; }
fn key(x: f32) -> i32 { let bits = bitcast<i32>(select(x, 0f, x == 0f));
  return select(bits ^ ((bits >> 31u) & 0x7fffffff), 0x7fffffff, is_nan(x)); }
fn before(a: i32, i: u32, b: i32, j: u32) -> bool { return a < b || (a == b && i < j); }
fn ordered(x: i32) -> i32 { return x; }
var<workgroup> tied: atomic<u32>;
var<private> base: u32;
var<private> start: u32;
fn at(i: u32) -> i32 { return positions_buf[start + i]; }
fn put(i: u32, position: i32) { positions_buf[start + i] = position; }
fn key_of(position: i32) -> i32 { return ordered(key(x_at(base + inner(u32(position))))); }
fn key_at(i: u32) -> i32 { return key_of(at(i)); }
fn swap(i: u32, j: u32) {
  let position = at(i);
  put(i, at(j));
  put(j, position);
}
fn depth_limit(size: u32) -> u32 { return 2u * firstLeadingBit(size); }
fn insertion_sort(first: u32, last: u32) {
  for (var i = first + 1u; i < last; i++) {
    let position = at(i);
    let own = key_of(position);
    var hole = i;
    while (hole > first && own < key_at(hole - 1u)) {
      put(hole, at(hole - 1u));
      hole--;
    }
    put(hole, position);
  }
}
fn sift_down(first: u32, top: u32, size: u32, position: i32) {
  var hole = top;
  for (var child = 2u * hole + 2u; child <= size; child = 2u * hole + 2u) {
    if (child == size || key_at(first + child) < key_at(first + child - 1u)) { child--; }
    put(first + hole, at(first + child));
    hole = child;
  }
  let own = key_of(position);
  while (hole > top) {
    let parent = (hole - 1u) / 2u;
    if (key_at(first + parent) >= own) { break; }
    put(first + hole, at(first + parent));
    hole = parent;
  }
  put(first + hole, position);
}
fn heap_select(first: u32, middle: u32, last: u32) {
  let size = middle - first;
  for (var parents = size / 2u; parents > 0u; parents--) {
    sift_down(first, parents - 1u, size, at(first + parents - 1u));
  }
  for (var i = middle; i < last; i++) {
    let position = at(i);
    if (key_of(position) < key_at(first)) {
      put(i, at(first));
      sift_down(first, 0u, size, position);
    }
  }
}
fn partial_sort(first: u32, middle: u32, last: u32) {
  heap_select(first, middle, last);
  for (var end = middle - 1u; end > first; end--) {
    let position = at(end);
    put(end, at(first));
    sift_down(first, 0u, end - first, position);
  }
}
fn median_of(a: u32, b: u32, c: u32) -> u32 {
  let x = key_at(a);
  let y = key_at(b);
  let z = key_at(c);
  if (x < y) { return select(select(a, c, x < z), b, y < z); }
  return select(select(b, c, y < z), a, x < z);
}
fn split(first: u32, last: u32) -> u32 {
  swap(first, median_of(first + 1u, first + (last - first) / 2u, last - 1u));
  let pivot = key_at(first);
  var low = first + 1u;
  var high = last;
  loop {
    while (key_at(low) < pivot) { low++; }
    high--;
    while (pivot < key_at(high)) { high--; }
    if (low >= high) { return low; }
    swap(low, high);
    low++;
  }
}
fn nth_element(nth: u32) {
  var low = 0u;
  var high = p.n;
  var depth = depth_limit(p.n);
  while (high - low > 3u) {
    if (depth == 0u) {
      heap_select(low, nth + 1u, high);
      swap(low, nth);
      return;
    }
    depth--;
    let cut = split(low, high);
    if (cut <= nth) { low = cut; } else { high = cut; }
  }
  insertion_sort(low, high);
}
fn sort_range(last: u32) {
  if (last > 16u) {
    var waiting: array<vec3<u32>, 64>;
    waiting[0] = vec3<u32>(0u, last, depth_limit(last));
    var count = 1u;
    while (count > 0u) {
      count--;
      let first = waiting[count].x;
      var end = waiting[count].y;
      var depth = waiting[count].z;
      while (end - first > 16u) {
        if (depth == 0u) {
          partial_sort(first, end, end);
          break;
        }
        depth--;
        let cut = split(first, end);
        waiting[count] = vec3<u32>(cut, end, depth);
        count++;
        end = cut;
      }
    }
  }
  insertion_sort(0u, last);
}
@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) id: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>, @builtin(local_invocation_index) lane: u32) {
  let group = id.y * groups.x + id.x;
  if (group >= p.count) { return; }
  base = outer(group);
  start = group * p.size;
  for (var r = lane; r < p.kept; r += 64u) {
    if (r + 1u < p.n && key_at(r) == key_at(r + 1u)) { atomicStore(&tied, 1u); }
  }
  workgroupBarrier();
  if (lane != 0u || atomicLoad(&tied) == 0u) { return; }
  for (var i = 0u; i < p.n; i++) { put(i, i32(i)); }
  sort_range(p.n);
  for (var r = 0u; r < p.kept; r++) {
    let to = to_outer(group) + to_inner(r);
    set_values(to, x_at(base + inner(u32(at(r)))));
    set_indices(to, at(r));
  }
}
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
