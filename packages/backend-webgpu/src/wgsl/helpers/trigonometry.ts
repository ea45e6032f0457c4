import { f32Literal, polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** π/2 in parts with so few bits that their products with a quadrant's number are exact up to the limit. */
const HALF_PI = [1.5703125, 0.0004837512969970703, 7.549789954891882e-8];
const LIMIT = 8192;
// After S. Moshier's Cephes: (sin r - r) / r³, (cos r - 1 + r²/2) / r⁴, (tan r - r) / r³ and so on, in r².
const SIN = [-1.6666654611e-1, 8.3321608736e-3, -1.9515295891e-4];
const COS = [4.166664568298827e-2, -1.388731625493765e-3, 2.443315711809948e-5];
const TAN = [
  3.33331568548e-1, 1.33387994085e-1, 5.34112807005e-2, 2.44301354525e-2, 3.11992232697e-3, 9.38540185543e-3,
];
const ASIN = [1.6666752422e-1, 7.4953002686e-2, 4.5470025998e-2, 2.4181311049e-2, 4.2163199048e-2];
const ATAN = [-3.33329491539e-1, 1.99777106478e-1, -1.38776856032e-1, 8.05374449538e-2];

const PI = f32Literal(Math.PI);
const HALF = f32Literal(Math.PI / 2);
const QUARTER = f32Literal(Math.PI / 4);

// The built-in functions are off by 2^-11 and more, and unspecified for large arguments.
export const TRIGONOMETRY: Helpers = {
  // x = quadrant π/2 + rest: the quadrant modulo 4 in .x, the rest in .y.
  quarter_turns: `fn quarter_turns(x: f32) -> vec2<f32> {
  if (!(abs(x) < ${LIMIT}f)) { return quarter_turns_of_large(x); }
  let n = round(x * ${f32Literal(2 / Math.PI)});
  let rest = ${HALF_PI.reduce((rest, part) => `fma(n, ${f32Literal(-part)}, ${rest})`, "x")};
  return vec2<f32>(f32(i32(n) & 3i), rest);
}`,
  two_over_pi: `const two_over_pi = array<u32, 8>(
  0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);`,
  mul_high: `fn mul_high(a: u32, b: u32) -> u32 {
  let t = (a >> 16u) * (b & 0xffffu) + (((a & 0xffffu) * (b & 0xffffu)) >> 16u);
  let u = (a & 0xffffu) * (b >> 16u) + (t & 0xffffu);
  return (a >> 16u) * (b >> 16u) + (t >> 16u) + (u >> 16u);
}`,
  // After Payne and Hanek: the bits of 2/π that give whole turns are left out.
  quarter_turns_of_large: `fn quarter_turns_of_large(x: f32) -> vec2<f32> {
  let b = bitcast<u32>(x);
  let exponent = (b >> 23u) & 255u;
  if (exponent == 255u) { return vec2<f32>(0f, f32_bits(0x7fc00000u)); }
  let m = (b & 0x7fffffu) | 0x800000u;
  let start = max(exponent, 120u) - 120u;
  let at = start >> 5u;
  let up = start & 31u;
  var words = array<u32, 3>();
  for (var k = 0u; k < 3u; k++) {
    words[k] = (two_over_pi[at + k] << up) | ((two_over_pi[at + k + 1u] >> 1u) >> (31u - up));
  }
  let middle = m * words[1];
  let low = middle + mul_high(m, words[2]);
  let high = m * words[0] + mul_high(m, words[1]) + select(0u, 1u, low < middle);
  let fraction = bitcast<i32>((high << 2u) | (low >> 30u));
  let quadrant = bitcast<i32>((high >> 30u) + select(0u, 1u, fraction < 0i));
  let rest = (f32(fraction) * 2.3283064e-10f + f32(low << 2u) * 5.421011e-20f) * ${HALF};
  return vec2<f32>(f32(select(quadrant, -quadrant, x < 0f) & 3i), select(rest, -rest, x < 0f));
}`,
  sin_turned: `fn sin_turned(turns: vec2<f32>, ahead: u32) -> f32 {
  let r = turns.y;
  let z = r * r;
  let quadrant = u32(turns.x) + ahead;
  let sine = r + r * z * ${polynomial("z", SIN)};
  let cosine = 1f - 0.5f * z + z * z * ${polynomial("z", COS)};
  let value = select(sine, cosine, (quadrant & 1u) == 1u);
  return select(value, -value, (quadrant & 2u) == 2u);
}`,
  sin_f32: "fn sin_f32(x: f32) -> f32 { return sin_turned(quarter_turns(x), 0u); }",
  cos_f32: "fn cos_f32(x: f32) -> f32 { return sin_turned(quarter_turns(x), 1u); }",
  tan_f32: `fn tan_f32(x: f32) -> f32 {
  let turns = quarter_turns(x);
  let r = turns.y;
  let z = r * r;
  let value = r + r * z * ${polynomial("z", TAN)};
  return select(value, -1f / value, (u32(turns.x) & 1u) == 1u);
}`,
  asin_rest: `fn asin_rest(z: f32) -> f32 { return z * ${polynomial("z", ASIN)}; }`,
  asin_f32: `fn asin_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a > 1f) { return f32_bits(0x7fc00000u); }
  if (a <= 0.5f) { return x + x * asin_rest(x * x); }
  let z = 0.5f * (1f - a);
  let s = sqrt(z);
  return select(copysign_f32(${HALF} - 2f * (s + s * asin_rest(z)), x), x, is_nan(x));
}`,
  acos_f32: `fn acos_f32(x: f32) -> f32 {
  if (abs(x) <= 0.5f) { return ${HALF} - (x + x * asin_rest(x * x)); }
  if (abs(x) > 1f || is_nan(x)) { return f32_bits(0x7fc00000u); }
  let z = 0.5f * (1f - abs(x));
  let s = sqrt(z);
  let angle = 2f * (s + s * asin_rest(z));
  return select(angle, ${PI} - angle, x < 0f);
}`,
  atan_f32: `fn atan_f32(x: f32) -> f32 {
  let a = abs(x);
  let steep = a > 2.41421356f;
  let middle = a > 0.41421356f && !steep;
  let t = select(select(a, (a - 1f) / (a + 1f), middle), -1f / a, steep);
  let z = t * t;
  let turned = select(select(0f, ${QUARTER}, middle), ${HALF}, steep);
  return select(copysign_f32(turned + (t + t * z * ${polynomial("z", ATAN)}), x), x, is_nan(x));
}`,
  atan2_f32: `fn atan2_f32(y: f32, x: f32) -> f32 {
  if (is_nan(x) || is_nan(y)) { return f32_bits(0x7fc00000u); }
  let swap = abs(y) > abs(x);
  let far = max(abs(x), abs(y));
  let near = min(abs(x), abs(y));
  let scale = select(1f, 5.421010862e-20f, far > 1e30f);
  let ratio = select((near * scale) / (far * scale), 0f, (bitcast<u32>(near) << 1u) == 0u);
  let angle = atan_f32(select(ratio, 1f, is_inf(near)));
  let turned = select(angle, ${HALF} - angle, swap);
  return copysign_f32(select(turned, ${PI} - turned, (bitcast<u32>(x) >> 31u) == 1u), y);
}`,
};
