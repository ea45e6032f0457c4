// Floats of 16 bits, which WebAssembly lacks: their bits, in the low halves of four lanes, to float32 and back.

/** The numbers of four float16, or of four bfloat16. */
@inline
export function decodeHalves(bits: v128, isBrain: bool): v128 {
  if (isBrain) return i32x4.shl(bits, 16);
  const magnitude = v128.and(bits, i32x4.splat(0x7fff));
  // Multiplying by 2^112 moves the exponent to its new bias and normalizes what was denormal.
  const value = f32x4.mul(i32x4.shl(magnitude, 13), i32x4.splat(0x77800000));
  const special = v128.and(i32x4.gt_s(magnitude, i32x4.splat(0x7bff)), i32x4.splat(0x7f800000));
  return v128.or(v128.or(value, special), i32x4.shl(v128.xor(bits, magnitude), 16));
}

/** The bits of the nearest ones, ties to even. */
@inline
export function encodeHalves(x: v128, isBrain: bool): v128 {
  const notNumber = f32x4.ne(x, x);
  if (isBrain) {
    const isOdd = v128.and(i32x4.shr_u(x, 16), i32x4.splat(1));
    const bits = i32x4.shr_u(i32x4.add(i32x4.add(x, i32x4.splat(0x7fff)), isOdd), 16);
    return v128.bitselect(i32x4.splat(0x7fc0), bits, notNumber);
  }
  const magnitude = v128.and(x, i32x4.splat(0x7fffffff));
  const sign = i32x4.shr_u(v128.xor(x, magnitude), 16);
  const isOdd = v128.and(i32x4.shr_u(magnitude, 13), i32x4.splat(1));
  const normal = i32x4.shr_u(i32x4.add(i32x4.add(magnitude, i32x4.splat((-112 << 23) + 0xfff)), isOdd), 13);
  // For a denormal, adding one half leaves the result in the low bits, rounded by the addition.
  const small = i32x4.sub(f32x4.add(magnitude, f32x4.splat(0.5)), i32x4.splat(0x3f000000));
  const finite = v128.bitselect(small, normal, i32x4.lt_s(magnitude, i32x4.splat(113 << 23)));
  // From 65520 on what is nearest is infinite.
  const bits = v128.or(i32x4.min_s(finite, i32x4.splat(0x7c00)), sign);
  return v128.bitselect(i32x4.splat(0x7e00), bits, notNumber);
}
