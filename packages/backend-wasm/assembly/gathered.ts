// Vectors of elements of one, two or four bytes that lie apart, or in reverse, as elements of eight bytes may.

/** The element at `p` and those after it, each `step` elements behind the one before. */
@inline
export function gathered<T>(p: usize, step: isize): v128 {
  if (step == -1) {
    const x = v128.load(p + sizeof<T>() - 16);
    if (sizeof<T>() == 1) return v128.shuffle<u8>(x, x, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    if (sizeof<T>() == 2) return v128.shuffle<u16>(x, x, 7, 6, 5, 4, 3, 2, 1, 0);
    return sizeof<T>() == 4 ? v128.shuffle<u32>(x, x, 3, 2, 1, 0) : v128.shuffle<u64>(x, x, 1, 0);
  }
  const s = step * sizeof<T>();
  if (sizeof<T>() == 4) return four(p, s);
  return sizeof<T>() == 2 ? eight(p, s) : sixteen(p, s);
}

@inline
function four(p: usize, s: isize): v128 {
  let x = v128.load32_zero(p);
  x = v128.load32_lane(p += s, x, 1);
  x = v128.load32_lane(p += s, x, 2);
  return v128.load32_lane(p + s, x, 3);
}

@inline
function eight(p: usize, s: isize): v128 {
  let x = i16x8.splat(load<i16>(p));
  x = v128.load16_lane(p += s, x, 1);
  x = v128.load16_lane(p += s, x, 2);
  x = v128.load16_lane(p += s, x, 3);
  x = v128.load16_lane(p += s, x, 4);
  x = v128.load16_lane(p += s, x, 5);
  x = v128.load16_lane(p += s, x, 6);
  return v128.load16_lane(p + s, x, 7);
}

@inline
function sixteen(p: usize, s: isize): v128 {
  let x = i8x16.splat(load<i8>(p));
  x = v128.load8_lane(p += s, x, 1);
  x = v128.load8_lane(p += s, x, 2);
  x = v128.load8_lane(p += s, x, 3);
  x = v128.load8_lane(p += s, x, 4);
  x = v128.load8_lane(p += s, x, 5);
  x = v128.load8_lane(p += s, x, 6);
  x = v128.load8_lane(p += s, x, 7);
  x = v128.load8_lane(p += s, x, 8);
  x = v128.load8_lane(p += s, x, 9);
  x = v128.load8_lane(p += s, x, 10);
  x = v128.load8_lane(p += s, x, 11);
  x = v128.load8_lane(p += s, x, 12);
  x = v128.load8_lane(p += s, x, 13);
  x = v128.load8_lane(p += s, x, 14);
  return v128.load8_lane(p + s, x, 15);
}
