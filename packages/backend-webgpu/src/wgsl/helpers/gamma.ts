import { f32Literal, polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** log(gamma(1 + e)) / e for |e| <= 1/2, to 5e-8. */
const LOG_GAMMA = [
  -0.577215649187715, 0.822467207446484, -0.40069040306036, 0.2705702116604, -0.2071580623243, 0.169681077014,
  -0.147912265075, 0.126046758648, -0.082740640708, 0.085667389, -0.181442027, 0.149935637,
];
/** The first terms of Stirling's series for digamma, in 1/x². */
const DIGAMMA = [1 / 12, -1 / 120, 1 / 252, -1 / 240];

const PI = f32Literal(Math.PI);
const HALF_LOG_TAU = f32Literal(0.5 * Math.log(2 * Math.PI));

export const GAMMA: Helpers = {
  // For x >= 1/2: a step at a time down to [1/2, 3/2), or Stirling's series.
  lgamma_of_positive: `fn lgamma_of_positive(x: f32) -> f32 {
  if (x >= 8f) {
    let r = 1f / x;
    return (x - 0.5f) * (log_f32(x) - 1f) + (${HALF_LOG_TAU} - 0.5f) + r * (0.0833333333f - 0.00277777778f * r * r);
  }
  let n = floor(x + 0.5f);
  let e = x - n;
  var product = 1f + e;
  for (var k = 2f; k < n; k += 1f) { product *= k + e; }
  let factor = select(log_f32(product), log1p_f32(e), n <= 2f);
  return e * ${polynomial("e", LOG_GAMMA)} + select(factor, 0f, n <= 1f);
}`,
  lgamma_f32: `fn lgamma_f32(x: f32) -> f32 {
  if (is_nan(x)) { return x; }
  if (is_inf(x)) { return abs(x); }
  let rest = abs(x - round(x));
  if (x <= 0f && rest == 0f) { return f32_bits(0x7f800000u); }
  if (x >= 0.5f) { return lgamma_of_positive(x); }
  return ${f32Literal(Math.log(Math.PI))} - log_f32(sin_f32(${PI} * rest)) - lgamma_of_positive(1f - x);
}`,
  digamma_f32: `fn digamma_f32(x: f32) -> f32 {
  if ((bitcast<u32>(x) << 1u) == 0u) { return f32_bits((bitcast<u32>(x) ^ 0x80000000u) | 0x7f800000u); }
  let rest = x - round(x);
  let negative = x < 0f;
  if (is_nan(x) || (negative && (rest == 0f || is_inf(x)))) { return f32_bits(0x7fc00000u); }
  var shifted = select(x, 1f - x, negative);
  var sum = select(0f, -${PI} / tan_f32(${PI} * rest), negative);
  while (shifted < 6f) {
    sum -= 1f / shifted;
    shifted += 1f;
  }
  let r = 1f / (shifted * shifted);
  return sum + log_f32(shifted) - 0.5f / shifted - r * ${polynomial("r", DIGAMMA)};
}`,
};
