import { polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** (exp(r) - 1 - r) / r² for |r| <= ln 2 / 2. */
const EXP_TAIL = [5.0000001201e-1, 1.6666665459e-1, 4.1665795894e-2, 8.3334519073e-3, 1.3981999507e-3, 1.98756915e-4];
// The rest of an odd function: (f(x) - x) / x³ as a polynomial in x². After S. Moshier's Cephes.
const TANH = [-3.33332819422e-1, 1.33314422036e-1, -5.37397155531e-2, 2.06390887954e-2, -5.70498872745e-3];
const SINH = [1.66667160211e-1, 8.33028376239e-3, 2.03721912945e-4];

// The built-in exp and exp2 are precise enough everywhere, but some implementations make infinity of NaN.
export const EXPONENTIAL: Helpers = {
  exp_f32: "fn exp_f32(x: f32) -> f32 { return select(exp(x), x, is_nan(x)); }",
  exp2_f32: "fn exp2_f32(x: f32) -> f32 { return select(exp2(x), x, is_nan(x)); }",
  expm1_f32: `fn expm1_f32(x: f32) -> f32 {
  return select(exp_f32(x) - 1f, x + x * x * ${polynomial("x", EXP_TAIL)}, abs(x) < 0.35f);
}`,
  tanh_f32: `fn tanh_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let large = copysign_f32(1f - 2f / (exp(2f * min(a, 10f)) + 1f), x);
  return select(select(large, x + x * z * ${polynomial("z", TANH)}, a < 0.625f), x, is_nan(x));
}`,
  // exp overflows before sinh and cosh do.
  sinh_f32: `fn sinh_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let e = exp_f32(select(a, 0.5f * a, a > 88f));
  let large = copysign_f32(select(0.5f * e - 0.5f / e, 0.5f * e * e, a > 88f), x);
  return select(select(large, x + x * z * ${polynomial("z", SINH)}, a < 1f), x, is_nan(x));
}`,
  cosh_f32: `fn cosh_f32(x: f32) -> f32 {
  let a = abs(x);
  let e = exp_f32(select(a, 0.5f * a, a > 88f));
  return select(0.5f * e + 0.5f / e, 0.5f * e * e, a > 88f);
}`,
  /** x 2ⁿ in two steps, so that the power never overflows alone. */
  scale_f32: `fn scale_f32(x: f32, n: i32) -> f32 {
  let half = n >> 1u;
  return x * bitcast<f32>((half + 127i) << 23u) * bitcast<f32>((n - half + 127i) << 23u);
}`,
};
