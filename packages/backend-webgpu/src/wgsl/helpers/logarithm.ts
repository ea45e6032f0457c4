import { f32Literal, polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** (log(1 + m) - m + m²/2) / m³ for 1 + m between √½ and √2. */
const LOG_TAIL = [
  3.3333331174e-1, -2.4999993993e-1, 2.0000714765e-1, -1.6668057665e-1, 1.4249322787e-1, -1.2420140846e-1,
  1.167699874e-1, -1.151461031e-1, 7.0376836292e-2,
];

// The built-in logarithm is only as precise as an absolute error near 1, and unspecified at 0, infinity and NaN.
export const LOGARITHM: Helpers = {
  // log(1 + m) - m.
  log_rest: `fn log_rest(m: f32) -> f32 { return m * m * (m * ${polynomial("m", LOG_TAIL)} - 0.5f); }`,
  // x = 2^result.x (1 + result.y). A denormal is an integer times 2^-149.
  log_split: `fn log_split(x: f32) -> vec2<f32> {
  let b = bitcast<u32>(x);
  let denormal = b < 0x00800000u;
  let shifted = select(b, bitcast<u32>(f32(b)), denormal) - 0x3f3504f3u;
  let exponent = f32(bitcast<i32>(shifted) >> 23u) - select(0f, 149f, denormal);
  return vec2<f32>(exponent, bitcast<f32>((shifted & 0x7fffffu) + 0x3f3504f3u) - 1f);
}`,
  log_edges: `fn log_edges(x: f32, value: f32) -> f32 {
  let b = bitcast<u32>(x);
  if ((b << 1u) == 0u) { return f32_bits(0xff800000u); }
  if (b > 0x7f800000u) { return f32_bits(0x7fc00000u); }
  return select(value, x, b == 0x7f800000u);
}`,
  log_f32: `fn log_f32(x: f32) -> f32 {
  let p = log_split(x);
  return log_edges(x, (p.y + (log_rest(p.y) - p.x * 2.1219444e-4f)) + p.x * 0.693359375f);
}`,
  // log2(e) is 1 + 0.4427: the part with 1 is added last.
  log2_f32: `fn log2_f32(x: f32) -> f32 {
  let p = log_split(x);
  let rest = log_rest(p.y);
  return log_edges(x, ((rest + p.y) * ${f32Literal(Math.LOG2E - 1)} + rest + p.y) + p.x);
}`,
  log10_f32: `fn log10_f32(x: f32) -> f32 {
  let p = log_split(x);
  let low = p.x * ${f32Literal(Math.log10(2) - 0.30078125)} + log_rest(p.y) * ${f32Literal(Math.LOG10E)};
  return log_edges(x, (low + p.y * ${f32Literal(Math.LOG10E)}) + p.x * 0.30078125f);
}`,
  log1p_f32: `fn log1p_f32(x: f32) -> f32 {
  if (x > -0.29f && x < 0.41f) { return x + log_rest(x); }
  return log_f32(1f + x);
}`,
  asinh_f32: `fn asinh_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a > 1e9f) { return copysign_f32(log_f32(a) + ${f32Literal(Math.LN2)}, x); }
  return select(copysign_f32(log1p_f32(a + a * a / (1f + sqrt(a * a + 1f))), x), x, is_nan(x));
}`,
  acosh_f32: `fn acosh_f32(x: f32) -> f32 {
  if (x > 1e9f) { return log_f32(x) + ${f32Literal(Math.LN2)}; }
  if (x < 1f || is_nan(x)) { return f32_bits(0x7fc00000u); }
  let t = x - 1f;
  return log1p_f32(t + sqrt(2f * t + t * t));
}`,
  atanh_f32: `fn atanh_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a == 1f) { return f32_bits(bitcast<u32>(x) | 0x7f800000u); }
  if (a > 1f || is_nan(x)) { return f32_bits(0x7fc00000u); }
  return copysign_f32(0.5f * log1p_f32(2f * a / (1f - a)), x);
}`,
};
