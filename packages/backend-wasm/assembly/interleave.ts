// Two to four planes that become one row, as the colors of pixels do, and the other way around.

/** Elements that are worth the table of a call. */
@inline
export const LEAST_INTERLEAVED: i32 = 64;

/**
 * Writes `n` elements of each of `planes` in turns, or reads such: `isJoining` says which. Elements have one or two bytes and there are 2
 * to 4 planes, or they have four and there are 2 or 3. Planes are `stride` bytes apart. `table` is 256 bytes of scratch.
 */
export function interleave(
  joined: usize, plane: usize, stride: isize, planes: i32, n: i32, size: i32, isJoining: bool, table: usize,
): void {
  const lanes = 16 / size;
  const whole = 16 * planes;
  let i = 0;
  if (size == 4) {
    if (isJoining) for (; i + 4 <= n; i += 4, joined += whole, plane += 16) joinFloats(plane, stride, joined, planes);
    else for (; i + 4 <= n; i += 4, joined += whole, plane += 16) splitFloats(joined, plane, stride, planes);
  } else {
    writeTable(table, planes, size, isJoining);
    const from = isJoining ? stride : 16, to = isJoining ? 16 : stride;
    for (; i + lanes <= n; i += lanes, joined += whole, plane += 16) {
      step(isJoining ? plane : joined, from, isJoining ? joined : plane, to, planes, table);
    }
  }
  for (; i < n; i++, plane += size) {
    for (let k = 0; k < planes; k++, joined += size) {
      const p = plane + k * stride;
      memory.copy(isJoining ? joined : p, isJoining ? p : joined, size);
    }
  }
}

@inline
function joinFloats(from: usize, stride: isize, to: usize, planes: i32): void {
  const x = v128.load(from), y = v128.load(from + stride);
  if (planes == 2) {
    v128.store(to, v128.shuffle<u32>(x, y, 0, 4, 1, 5));
    v128.store(to, v128.shuffle<u32>(x, y, 2, 6, 3, 7), 16);
    return;
  }
  const z = v128.load(from + 2 * stride);
  v128.store(to, v128.shuffle<u32>(v128.shuffle<u32>(x, y, 0, 4, 1, 1), z, 0, 1, 4, 2));
  v128.store(to, v128.shuffle<u32>(v128.shuffle<u32>(x, y, 5, 5, 2, 6), z, 0, 5, 2, 3), 16);
  v128.store(to, v128.shuffle<u32>(v128.shuffle<u32>(x, y, 3, 3, 7, 7), z, 6, 0, 2, 7), 32);
}

@inline
function splitFloats(from: usize, to: usize, stride: isize, planes: i32): void {
  const a = v128.load(from), b = v128.load(from, 16);
  if (planes == 2) {
    v128.store(to, v128.shuffle<u32>(a, b, 0, 2, 4, 6));
    v128.store(to + stride, v128.shuffle<u32>(a, b, 1, 3, 5, 7));
    return;
  }
  const c = v128.load(from, 32);
  v128.store(to, v128.shuffle<u32>(v128.shuffle<u32>(a, b, 0, 3, 6, 6), c, 0, 1, 2, 5));
  v128.store(to + stride, v128.shuffle<u32>(v128.shuffle<u32>(a, b, 1, 4, 7, 7), c, 0, 1, 2, 6));
  v128.store(to + 2 * stride, v128.shuffle<u32>(v128.shuffle<u32>(a, b, 2, 5, 5, 5), c, 0, 1, 4, 7));
}

/** For each register that is written, and each that is read, the bytes that it takes of that one; what it does not take is 255. */
function writeTable(table: usize, planes: i32, size: i32, isJoining: bool): void {
  memory.fill(table, 255, 256);
  for (let k = 0; k < planes; k++) {
    for (let at = 0; at < 16; at++) {
      // A byte of plane `k`, and where it is among all.
      const among = (at / size * planes + k) * size + at % size;
      if (isJoining) store<u8>(table + ((among >> 4) * planes + k << 4) + (among & 15), at);
      else store<u8>(table + (k * planes + (among >> 4) << 4) + at, among & 15);
    }
  }
}

@inline
function step(from: usize, fromStride: isize, to: usize, toStride: isize, planes: i32, table: usize): void {
  const a = v128.load(from), b = v128.load(from + fromStride);
  if (planes == 2) {
    v128.store(to, two(a, b, table));
    v128.store(to + toStride, two(a, b, table + 32));
    return;
  }
  const c = v128.load(from + 2 * fromStride);
  if (planes == 3) {
    v128.store(to, three(a, b, c, table));
    v128.store(to + toStride, three(a, b, c, table + 48));
    v128.store(to + 2 * toStride, three(a, b, c, table + 96));
    return;
  }
  const d = v128.load(from + 3 * fromStride);
  for (let k = 0; k < 4; k++, to += toStride, table += 64) {
    v128.store(to, v128.or(three(a, b, c, table), i8x16.swizzle(d, v128.load(table, 48))));
  }
}

@inline
function two(a: v128, b: v128, table: usize): v128 {
  return v128.or(i8x16.swizzle(a, v128.load(table)), i8x16.swizzle(b, v128.load(table, 16)));
}

@inline
function three(a: v128, b: v128, c: v128, table: usize): v128 {
  return v128.or(two(a, b, table), i8x16.swizzle(c, v128.load(table, 32)));
}
