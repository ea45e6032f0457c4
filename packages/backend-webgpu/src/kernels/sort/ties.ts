import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { type ReducedLayout, readLanes } from "../reduce/reduced-layout.ts";
import type { Sorted } from "./bitonic.ts";
import { orderOf } from "./order.ts";

/** How PyTorch's CPU sorts a lane: WGSL that calls functions of {@link SERIAL} on positions `0 … p.n - 1`. */
export interface Ties {
  readonly wgsl: string;
}

/**
 * Up to so many elements a lane with equal ones is sorted again by one invocation, in PyTorch's order; that takes time
 * in proportion to n log n, and for `topk` to n. In longer lanes equal elements keep their order.
 */
const LONGEST = { sort: 2048, topk: 16384 };

/** `std::sort`; of so few elements that it inserts each the order of equal ones is kept, as it is in a stable sort. */
export function tiesOfSort(
  { stable, dim }: { readonly stable: boolean | null; readonly dim: number },
  self: TensorView,
  { n }: ReducedLayout,
): Ties | null {
  if (stable === true || n <= 16 || n > LONGEST.sort) return null;
  // PyTorch leaves elements as they are where all of them are one.
  if (self.strides.at(dim) === 0) return null;
  return { wgsl: "sort_range(p.n);" };
}

/** A heap for a few elements, else selection. */
export function tiesOfTopk(
  { k, sorted }: { readonly k: number; readonly sorted: boolean },
  { n }: ReducedLayout,
): Ties | null {
  if (n === 1 || n > LONGEST.topk) return null;
  if (k * 64 <= n) return { wgsl: "partial_sort(0u, p.kept, p.n);" };
  return { wgsl: `nth_element(p.kept - 1u);${sorted ? " sort_range(p.kept - 1u);" : ""}` };
}

/** Sorts lanes again in which one of the results has an equal. */
export function planTies(
  call: KernelCall,
  self: TensorView,
  layout: ReducedLayout,
  given: { readonly rule: Ties; readonly descending: boolean; readonly positions: TensorView; readonly to: Sorted },
): void {
  const { values, indices, target } = given.to;
  const shader = readLanes(call.shader("sort ties"), self, layout).write("positions", given.positions);
  shader.u32("n", layout.n).u32("kept", target.n).u32("size", given.positions.shape[1]!);
  shader.write("values", values).write("indices", indices);
  shader.offsets("to_outer", target.kept).offsets("to_inner", target.reduced);
  shader.forEachGroup(
    layout.outer,
    `base = outer(group);
  start = group * p.size;
  for (var r = lane; r < p.kept; r += 64u) {
    if (r + 1u < p.n && key_at(r) == key_at(r + 1u)) { atomicStore(&tied, 1u); }
  }
  workgroupBarrier();
  if (lane != 0u || atomicLoad(&tied) == 0u) { return; }
  for (var i = 0u; i < p.n; i++) { put(i, i32(i)); }
  ${given.rule.wgsl}
  for (var r = 0u; r < p.kept; r++) {
    let to = to_outer(group) + to_inner(r);
    set_values(to, x_at(base + inner(u32(at(r)))));
    set_indices(to, at(r));
  }`,
    {
      workgroupSize: 64,
      declarations: `${orderOf(self, given.descending)}fn ordered(x: i32) -> i32 { return ${given.descending ? "~x" : "x"}; }
${SERIAL}`,
    },
  );
}

/** The algorithms of the GNU C++ library that PyTorch calls, on the positions of one lane; `@pt2/engine/host` says more. */
const SERIAL = `var<workgroup> tied: atomic<u32>;
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
`;
