// Greedy suppression of boxes in the order of their scores, with the comparisons and the roundings of torchvision's CPU
// kernel: `max` and `min` are C++'s, which return their first argument where a comparison with NaN is false.

/**
 * `dets`: [n, 4] float32; `order`: int64 [n]; `kept`: bool [n], whether box `order[i]` is kept. `columns`: room for six
 * columns of n floats, rounded up to a multiple of four.
 */
export function nms32(dets: usize, order: usize, kept: usize, columns: usize, n: i32, threshold: f64): void {
  const bytes = (<usize>(n + 3) & ~3) << 2;
  const x1 = columns, y1 = x1 + bytes, x2 = y1 + bytes, y2 = x2 + bytes, areas = y2 + bytes, alive = areas + bytes;
  memory.fill(columns, 0, 6 * bytes);
  for (let i = 0; i < n; i++) {
    const box = v128.load(dets + (<usize>load<i64>(order + (<usize>i << 3)) << 4));
    const at = <usize>i << 2;
    const left = f32x4.extract_lane(box, 0), top = f32x4.extract_lane(box, 1);
    const right = f32x4.extract_lane(box, 2), bottom = f32x4.extract_lane(box, 3);
    store<f32>(x1 + at, left);
    store<f32>(y1 + at, top);
    store<f32>(x2 + at, right);
    store<f32>(y2 + at, bottom);
    store<f32>(areas + at, (right - left) * (bottom - top));
    store<i32>(alive + at, -1);
  }
  const limit = f32x4.splat(largestNotAbove(threshold));
  // Boxes that share nothing overlap by 0, or by NaN.
  const always = !(threshold >= 0);
  for (let i = 0; i < n; i++) {
    const at = <usize>i << 2;
    if (!load<i32>(alive + at)) continue;
    const left = v128.load32_splat(x1 + at), top = v128.load32_splat(y1 + at);
    const right = v128.load32_splat(x2 + at), bottom = v128.load32_splat(y2 + at), area = v128.load32_splat(areas + at);
    const own = at & ~15;
    for (let j = own; j < bytes; j += 16) {
      const before = v128.load(alive + j);
      if (!v128.any_true(before)) continue;
      const width = f32x4.sub(f32x4.pmin(right, v128.load(x2 + j)), f32x4.pmax(left, v128.load(x1 + j)));
      const height = f32x4.sub(f32x4.pmin(bottom, v128.load(y2 + j)), f32x4.pmax(top, v128.load(y1 + j)));
      const zero = f32x4.splat(0);
      const shared = f32x4.mul(f32x4.pmax(zero, width), f32x4.pmax(zero, height));
      if (!always && !v128.any_true(f32x4.ne(shared, zero))) continue;
      const overlap = f32x4.div(shared, f32x4.sub(f32x4.add(area, v128.load(areas + j)), shared));
      let over = f32x4.gt(overlap, limit);
      if (j == own) {
        // Only boxes after this one.
        const lane = <i32>(at & 15) >> 2;
        over = v128.and(over, i32x4.gt_s(i32x4(0, 1, 2, 3), i32x4.splat(lane)));
      }
      v128.store(alive + j, v128.andnot(before, over));
    }
  }
  for (let i = 0; i < n; i++) store<u8>(kept + <usize>i, <u8>(load<i32>(alive + (<usize>i << 2)) & 1));
}

/** The same for float64; `columns`: room for five columns of n numbers. */
export function nms64(dets: usize, order: usize, kept: usize, columns: usize, n: i32, threshold: f64): void {
  const bytes = <usize>n << 3;
  const x1 = columns, y1 = x1 + bytes, x2 = y1 + bytes, y2 = x2 + bytes, areas = y2 + bytes;
  for (let i = 0; i < n; i++) {
    const box = dets + (<usize>load<i64>(order + (<usize>i << 3)) << 5);
    const at = <usize>i << 3;
    const left = load<f64>(box), top = load<f64>(box, 8), right = load<f64>(box, 16), bottom = load<f64>(box, 24);
    store<f64>(x1 + at, left);
    store<f64>(y1 + at, top);
    store<f64>(x2 + at, right);
    store<f64>(y2 + at, bottom);
    store<f64>(areas + at, (right - left) * (bottom - top));
    store<u8>(kept + <usize>i, 1);
  }
  for (let i = 0; i < n; i++) {
    if (!load<u8>(kept + <usize>i)) continue;
    const at = <usize>i << 3;
    const left = load<f64>(x1 + at), top = load<f64>(y1 + at), right = load<f64>(x2 + at), bottom = load<f64>(y2 + at);
    const area = load<f64>(areas + at);
    for (let j = i + 1; j < n; j++) {
      if (!load<u8>(kept + <usize>j)) continue;
      const to = <usize>j << 3;
      const width = smaller(right, load<f64>(x2 + to)) - larger(left, load<f64>(x1 + to));
      const height = smaller(bottom, load<f64>(y2 + to)) - larger(top, load<f64>(y1 + to));
      const shared = larger(0, width) * larger(0, height);
      if (shared / (area + load<f64>(areas + to) - shared) > threshold) store<u8>(kept + <usize>j, 0);
    }
  }
}

@inline
function larger(x: f64, y: f64): f64 {
  return x < y ? y : x;
}

@inline
function smaller(x: f64, y: f64): f64 {
  return y < x ? y : x;
}

/** A float32 is above a float64 if it is above this one. */
function largestNotAbove(threshold: f64): f32 {
  const near = <f32>threshold;
  if (!(<f64>near > threshold)) return near;
  const bits = reinterpret<i32>(near);
  if (near == 0) return reinterpret<f32>(0x80000001);
  return reinterpret<f32>(near > 0 ? bits - 1 : bits + 1);
}
