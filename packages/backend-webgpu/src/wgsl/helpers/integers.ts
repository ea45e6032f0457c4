import type { Helpers } from "./helper-declarations.ts";

// A quotient by zero is -1 (all bits set) and the remainder is the dividend, as on NVIDIA's GPUs; a shader cannot
// throw.
export const INTEGERS: Helpers = {
  truncdiv_i32: "fn truncdiv_i32(x: i32, y: i32) -> i32 { return select(x / y, -1i, y == 0i); }",
  fmod_i32: "fn fmod_i32(x: i32, y: i32) -> i32 { return select(x % y, x, y == 0i); }",
  floordiv_i32: `fn floordiv_i32(x: i32, y: i32) -> i32 {
  let rest = fmod_i32(x, y);
  return truncdiv_i32(x, y) - select(0i, 1i, y != 0i && rest != 0i && (rest ^ y) < 0i);
}`,
  mod_i32: `fn mod_i32(x: i32, y: i32) -> i32 {
  let rest = fmod_i32(x, y);
  return rest + select(0i, y, rest != 0i && (rest ^ y) < 0i);
}`,
  truncdiv_u32: "fn truncdiv_u32(x: u32, y: u32) -> u32 { return select(x / y, 0xffffffffu, y == 0u); }",
  fmod_u32: "fn fmod_u32(x: u32, y: u32) -> u32 { return select(x % y, x, y == 0u); }",
  floordiv_u32: "fn floordiv_u32(x: u32, y: u32) -> u32 { return truncdiv_u32(x, y); }",
  mod_u32: "fn mod_u32(x: u32, y: u32) -> u32 { return fmod_u32(x, y); }",
  // Shift counts that are negative or too large shift everything out. That holds for narrower dtypes too, after
  // wrapping.
  shl_i32: "fn shl_i32(x: i32, y: i32) -> i32 { return select(x << (u32(y) & 31u), 0i, u32(y) > 31u); }",
  shr_i32: "fn shr_i32(x: i32, y: i32) -> i32 { return x >> min(u32(y), 31u); }",
  shl_u32: "fn shl_u32(x: u32, y: u32) -> u32 { return select(x << (y & 31u), 0u, y > 31u); }",
  shr_u32: "fn shr_u32(x: u32, y: u32) -> u32 { return select(x >> (y & 31u), 0u, y > 31u); }",
  pow_i32: `fn pow_i32(x: i32, y: i32) -> i32 {
  if (y < 0i) { return select(select(0i, select(1i, -1i, (y & 1i) == 1i), x == -1i), 1i, x == 1i); }
  return bitcast<i32>(pow_u32(bitcast<u32>(x), u32(y)));
}`,
  pow_u32: `fn pow_u32(x: u32, y: u32) -> u32 {
  var result = 1u;
  var base = x;
  for (var rest = y; rest > 0u; rest >>= 1u) {
    if ((rest & 1u) == 1u) { result *= base; }
    base *= base;
  }
  return result;
}`,
  // NaN and values out of range give the least integer, as on x86.
  i32_from_f32: `fn i32_from_f32(x: f32) -> i32 {
  return select(i32(-2147483648), i32(x), (bitcast<u32>(x) & 0x7fffffffu) < 0x4f000000u);
}`,
  // An int64 has 32 bits: a value that an int64 could hold saturates.
  i64_from_f32: `fn i64_from_f32(x: f32) -> i32 {
  let b = bitcast<u32>(x);
  return select(i32_from_f32(x), 2147483647i, b >= 0x4f000000u && b < 0x5f000000u);
}`,
  u32_from_f32: `fn u32_from_f32(x: f32) -> u32 {
  let a = trunc(abs(x));
  let low = u32(a - floor(a * 2.3283064e-10f) * 4294967296f);
  let signed = select(low, 0u - low, x < 0f);
  return select(signed, 0u, (bitcast<u32>(x) & 0x7fffffffu) >= 0x5f000000u);
}`,
};
