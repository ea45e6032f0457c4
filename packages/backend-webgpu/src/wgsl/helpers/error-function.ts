import { polynomial } from "../literal.ts";
import type { Helpers } from "./helper-declarations.ts";

/** After N. Juffa: the error function as x + x p(x²), and 1 - exp(t p(t) - t) beyond 475/512. */
const CENTER = [1.28379166e-1, -3.76125336e-1, 1.12819925e-1, -2.67681349e-2, 4.99119423e-3, -5.96761703e-4];
const TAIL = [
  -1.28717512e-1, -6.34846687e-1, -1.06777877e-1, 2.42546219e-2, -3.88396438e-3, 3.83197126e-4, -1.7285347e-5,
];
/** log(erfc(x) / t) + x² in t = 1 / (1 + x/2), after Numerical Recipes: a relative error of 1.2e-7 for all x >= 0. */
const COMPLEMENT = [
  -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
  0.17087277,
];
// After M. Giles: erfinv(y) / y in w - 2.5 and √w - 3 for w = -log(1 - y²).
const INVERSE_CENTER = [
  1.50140941, 0.246640727, -0.00417768164, -0.00125372503, 0.00021858087, -0.00000439150654, -3.5233877e-6,
  3.43273939e-7, 2.81022636e-8,
];
const INVERSE_TAIL = [
  2.83297682, 1.00167406, 0.00943887047, -0.0076224613, 0.00573950773, -0.00367342844, 0.00134934322, 0.000100950558,
  -0.000200214257,
];

export const ERROR_FUNCTION: Helpers = {
  erf_f32: `fn erf_f32(x: f32) -> f32 {
  let a = abs(x);
  let z = x * x;
  let t = min(a, 4f);
  let large = copysign_f32(1f - exp(t * ${polynomial("t", TAIL)} - t), x);
  let small = x + x * ${polynomial("z", CENTER)};
  return select(select(small, large, a > 0.927734375f), x, is_nan(x));
}`,
  // The square of a high part is exact.
  erfc_f32: `fn erfc_f32(x: f32) -> f32 {
  if (abs(x) < 0.5f) { return 1f - erf_f32(x); }
  let a = min(abs(x), 12f);
  let h = high_part(a);
  let t = 1f / (1f + 0.5f * a);
  let tail = t * exp(-h * h) * exp(${polynomial("t", COMPLEMENT)} - (a - h) * (a + h));
  return select(select(tail, 2f - tail, x < 0f), x, is_nan(x));
}`,
  erfinv_f32: `fn erfinv_f32(x: f32) -> f32 {
  let a = abs(x);
  if (a == 1f) { return f32_bits(bitcast<u32>(x) | 0x7f800000u); }
  if (a > 1f || is_nan(x)) { return f32_bits(0x7fc00000u); }
  let w = -log_f32((1f - a) * (1f + a));
  let c = w - 2.5f;
  let s = sqrt(w) - 3f;
  return x * select(${polynomial("s", INVERSE_TAIL)}, ${polynomial("c", INVERSE_CENTER)}, w < 5f);
}`,
};
