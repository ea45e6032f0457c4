import type { Helpers } from "./helper-declarations.ts";

// Division is off by units in the last place on GPUs, so a quotient may lie on the wrong side of an integer.
export const REMAINDER: Helpers = {
  // The result is exact: long division of the mantissas, eight bits at a time.
  fmod_f32: `fn fmod_f32(x: f32, y: f32) -> f32 {
  let sign = bitcast<u32>(x) & 0x80000000u;
  let a = bitcast<u32>(x) & 0x7fffffffu;
  let b = bitcast<u32>(y) & 0x7fffffffu;
  if (a >= 0x7f800000u || b > 0x7f800000u || b == 0u) { return f32_bits(0x7fc00000u); }
  if (a < b) { return x; }
  let exponent = max(b >> 23u, 1u);
  let divisor = select((b & 0x7fffffu) | 0x800000u, b, b < 0x800000u);
  var rest = select((a & 0x7fffffu) | 0x800000u, a, a < 0x800000u) % divisor;
  var distance = max(a >> 23u, 1u) - exponent;
  while (distance > 0u && rest > 0u) {
    let step = min(distance, 8u);
    rest = (rest << step) % divisor;
    distance -= step;
  }
  if (rest == 0u) { return f32_bits(sign); }
  let unit = bitcast<u32>(f32(rest));
  if ((unit >> 23u) + exponent > 150u) { return f32_bits(sign | (unit + (exponent << 23u) - (150u << 23u))); }
  return f32_bits(sign | (rest << (exponent - 1u)));
}`,
  mod_f32: `fn mod_f32(x: f32, y: f32) -> f32 {
  let rest = fmod_f32(x, y);
  return select(rest, rest + y, rest != 0f && (rest < 0f) != (y < 0f));
}`,
  // PyTorch's div_floor is computed from the remainder, so that it agrees with mod.
  floordiv_f32: `fn floordiv_f32(x: f32, y: f32) -> f32 {
  if ((bitcast<u32>(y) << 1u) == 0u) { return f32_bits(bitcast<u32>(over_zero_f32(x)) ^ bitcast<u32>(y)); }
  let rest = fmod_f32(x, y);
  let exact = (x - rest) / y;
  let quotient = select(exact, exact - 1f, rest != 0f && (rest < 0f) != (y < 0f));
  let low = floor(quotient);
  let sign = (bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u;
  return select(select(low, low + 1f, quotient - low > 0.5f), f32_bits(sign), quotient == 0f);
}`,
  // The quotient is rounded to nearest, then truncated: it is one more where the rest is within half a unit of it.
  truncdiv_f32: `fn truncdiv_f32(x: f32, y: f32) -> f32 {
  if ((bitcast<u32>(y) << 1u) == 0u) { return f32_bits(bitcast<u32>(over_zero_f32(x)) ^ bitcast<u32>(y)); }
  let plain = trunc(x / y);
  if ((bitcast<u32>(plain) & 0x7fffffffu) >= 0x49800000u || is_inf(y)) { return plain; }
  let divisor = abs(y);
  let rest = abs(fmod_f32(x, y));
  let whole = round((abs(x) - rest) / divisor);
  let next = whole + 1f;
  let half = 0.5f * (next - bitcast<f32>(bitcast<u32>(next) - 1u));
  let value = select(whole, next, divisor - rest <= divisor * half);
  return f32_bits(bitcast<u32>(value) | ((bitcast<u32>(x) ^ bitcast<u32>(y)) & 0x80000000u));
}`,
  hypot_f32: `fn hypot_f32(x: f32, y: f32) -> f32 {
  if (is_inf(x) || is_inf(y)) { return f32_bits(0x7f800000u); }
  let far = max(abs(x), abs(y));
  let down = far > 1e18f;
  let up = far < 1e-15f;
  let scale = select(select(1f, 1.208925819614629e24f, up), 8.271806125530277e-25f, down);
  let back = select(select(1f, 8.271806125530277e-25f, up), 1.208925819614629e24f, down);
  let a = x * scale;
  let b = y * scale;
  return sqrt(a * a + b * b) * back;
}`,
};
