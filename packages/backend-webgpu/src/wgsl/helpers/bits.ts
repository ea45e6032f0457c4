import type { Helpers } from "./helper-declarations.ts";

// Tests for NaN and infinity look at bits, because compilers may assume that there are none.
export const BITS: Helpers = {
  f32_bits: "fn f32_bits(x: u32) -> f32 { return bitcast<f32>(x); }",
  is_nan: "fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }",
  is_inf: "fn is_inf(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) == 0x7f800000u; }",
  is_true: "fn is_true(x: f32) -> bool { return (bitcast<u32>(x) << 1u) != 0u; }",
  sign_f32: "fn sign_f32(x: f32) -> f32 { return select(select(0f, -1f, x < 0f), 1f, x > 0f); }",
  max_f32: "fn max_f32(x: f32, y: f32) -> f32 { return select(select(max(x, y), y, is_nan(y)), x, is_nan(x)); }",
  min_f32: "fn min_f32(x: f32, y: f32) -> f32 { return select(select(min(x, y), y, is_nan(y)), x, is_nan(x)); }",
  // The product 0 x is NaN for NaN and for infinities, 0 / x for NaN and for 0. Both have the sign of x.
  zero_times_f32: `fn zero_times_f32(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  return f32_bits(select(b & 0x80000000u, 0x7fc00000u, (b & 0x7f800000u) == 0x7f800000u));
}`,
  zero_over_f32: `fn zero_over_f32(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  return f32_bits(select(b & 0x80000000u, 0x7fc00000u, (b << 1u) == 0u || is_nan(x)));
}`,
  over_zero_f32: `fn over_zero_f32(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  return f32_bits(select((b & 0x80000000u) | 0x7f800000u, 0x7fc00000u, (b << 1u) == 0u || is_nan(x)));
}`,
  copysign_f32: `fn copysign_f32(x: f32, y: f32) -> f32 {
  return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}`,
  nextafter_f32: `fn nextafter_f32(x: f32, y: f32) -> f32 {
  if (is_nan(x) || is_nan(y)) { return f32_bits(0x7fc00000u); }
  let bx = bitcast<u32>(x);
  let by = bitcast<u32>(y);
  if (bx == by || ((bx | by) << 1u) == 0u) { return y; }
  if ((bx << 1u) == 0u) { return f32_bits((by & 0x80000000u) | 1u); }
  let grows = ((bx ^ by) >> 31u) == 0u && (by & 0x7fffffffu) > (bx & 0x7fffffffu);
  return f32_bits(select(bx - 1u, bx + 1u, grows));
}`,
  round_bf16: `fn round_bf16(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  return select(bitcast<f32>((b + 0x7fffu + ((b >> 16u) & 1u)) & 0xffff0000u), x, is_nan(x));
}`,
  // The rounding does not go through f16: compilers may remove the conversion there and back, and may choose its
  // rounding.
  round_f16: `fn round_f16(x: f32) -> f32 {
  let b = bitcast<u32>(x);
  let m = b & 0x7fffffffu;
  let r = (m + 0xfffu + ((m >> 13u) & 1u)) & 0xffffe000u;
  let normal = select(select(r, 0x7f800000u, r > 0x477fe000u), m, m > 0x7f800000u);
  let small = bitcast<u32>(round(bitcast<f32>(m) * 16777216f) * 5.9604644775390625e-8f);
  return bitcast<f32>(select(normal, small, m < 0x38800000u) | (b & 0x80000000u));
}`,
  wrap_i8: "fn wrap_i8(x: i32) -> i32 { return (x << 24u) >> 24u; }",
  wrap_i16: "fn wrap_i16(x: i32) -> i32 { return (x << 16u) >> 16u; }",
  wrap_u8: "fn wrap_u8(x: i32) -> i32 { return x & 255i; }",
  wrap_u16: "fn wrap_u16(x: u32) -> u32 { return x & 65535u; }",
};
