// The largest and the smallest element of a contiguous row. SIMD's own maximum, which keeps NaN, is eight instructions on
// x86; a comparison that loses NaN, and one that notices it, are three.
import { loadTail } from "./lanes";

/** The largest element, NaN when there is one, -infinity of none. */
export function rowMax(p: usize, n: i32): f32 {
  return extreme(true, p, n);
}

/** The smallest element, NaN when there is one, infinity of none. */
export function rowMin(p: usize, n: i32): f32 {
  return extreme(false, p, n);
}

@inline
function extreme(largest: bool, p: usize, n: i32): f32 {
  const start = f32x4.splat(largest ? -Infinity : Infinity);
  let a = start, b = start, nan = f32x4.splat(0);
  const end = p + (<usize>(n & ~7) << 2);
  for (; p < end; p += 32) {
    const x = v128.load(p), y = v128.load(p, 16);
    a = further(largest, a, x);
    b = further(largest, b, y);
    nan = v128.or(nan, v128.or(f32x4.ne(x, x), f32x4.ne(y, y)));
  }
  if (n & 4) {
    const x = v128.load(p);
    a = further(largest, a, x);
    nan = v128.or(nan, f32x4.ne(x, x));
    p += 16;
  }
  if (n & 3) {
    const x = loadTail(p, n & 3, start);
    b = further(largest, b, x);
    nan = v128.or(nan, f32x4.ne(x, x));
  }
  if (v128.any_true(nan)) return NaN;
  a = further(largest, a, b);
  a = further(largest, a, v128.shuffle<i32>(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(further(largest, a, v128.shuffle<i32>(a, a, 1, 0, 3, 2)), 0);
}

@inline
function further(largest: bool, x: v128, y: v128): v128 {
  return largest ? f32x4.pmax(x, y) : f32x4.pmin(x, y);
}
