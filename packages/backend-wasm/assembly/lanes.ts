// Vectors that are not full, and the way from a vector to a number.

/** `count` (1 to 3) floats at `p`; the other lanes hold what `fill` holds. */
@inline
export function loadTail(p: usize, count: i32, fill: v128): v128 {
  let x = v128.load_lane<f32>(p, fill, 0);
  if (count > 1) x = v128.load_lane<f32>(p + 4, x, 1);
  if (count > 2) x = v128.load_lane<f32>(p + 8, x, 2);
  return x;
}

/** Stores the first `count` (1 to 3) lanes. */
@inline
export function storeTail(p: usize, x: v128, count: i32): void {
  v128.store_lane<f32>(p, x, 0);
  if (count > 1) v128.store_lane<f32>(p + 4, x, 1);
  if (count > 2) v128.store_lane<f32>(p + 8, x, 2);
}

/** The sum of four lanes, in double precision. */
@inline
export function sumLanes(x: v128): f64 {
  const high = v128.shuffle<i32>(x, x, 2, 3, 2, 3);
  const pairs = f64x2.add(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(high));
  return f64x2.extract_lane(pairs, 0) + f64x2.extract_lane(pairs, 1);
}
