// exp, tanh, erf and what is made of them, on vectors, to about two units in the last place.
#pragma once

#include "vector.h"

namespace pt2::PT2_ISA {

/// 2^n for integral n in [-126, 127], by writing the exponent field.
inline Vec power_of_two(IntVec n) { return from_bits((n + 127) << 23); }

/// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2: the integer n, and a degree-6 polynomial for exp(r) (Cephes `expf`).
struct ExpParts {
  IntVec n;
  Vec mantissa;
};

inline ExpParts exp_parts(Vec x) {
  // Adding 1.5 * 2^23 rounds to the nearest integer and leaves it in the low bits.
  const Vec shifted = fma(x, splat(1.44269504f), splat(12582912.0f));
  const Vec n = shifted - 12582912.0f;
  Vec r = fma(n, splat(-0.693359375f), x);
  r = fma(n, splat(2.12194440e-4f), r);
  Vec p = fma(r, splat(1.9875691500e-4f), splat(1.3981999507e-3f));
  p = fma(p, r, splat(8.3334519073e-3f));
  p = fma(p, r, splat(4.1665795894e-2f));
  p = fma(p, r, splat(1.6666665459e-1f));
  p = fma(p, r, splat(5.0000001201e-1f));
  return {bits_of(shifted) - 0x4b400000, fma(p, r * r, r) + 1.0f};
}

/// exp over the whole range: the scale is applied in two steps, so that subnormal results round and large ones
/// overflow.
inline Vec exp(Vec x) {
  const auto [n, mantissa] = exp_parts(clamp(x, splat(-104.0f), splat(89.0f)));
  const IntVec half = n >> 1;
  return mantissa * power_of_two(half) * power_of_two(n - half);
}

/// exp(x) held between exp(-87) and exp(87), where results and their reciprocals are normal numbers.
inline Vec exp_bounded(Vec x) {
  const auto [n, mantissa] = exp_parts(clamp(x, splat(-87.0f), splat(87.0f)));
  return mantissa * power_of_two(n);
}

inline Vec sigmoid(Vec x) { return reciprocal(1.0f + exp_bounded(-x)); }

/// tanh(x) = sign(x) (1 - 2 / (exp(2|x|) + 1)); an odd polynomial below 0.625, where that would cancel (Cephes
/// `tanhf`).
inline Vec tanh(Vec x) {
  const Vec a = absolute(x);
  const Vec large = with_sign(1.0f - 2.0f * reciprocal(exp_bounded(a + a) + 1.0f), x);
  const Vec z = x * x;
  Vec p = fma(z, splat(-5.70498872745e-3f), splat(2.06390887954e-2f));
  p = fma(p, z, splat(-5.37397155531e-2f));
  p = fma(p, z, splat(1.33314422036e-1f));
  p = fma(p, z, splat(-3.33332819422e-1f));
  const Vec small = fma(p * z, x, x);
  return a >= 0.625f ? large : small;
}

/// erf(x): a polynomial in x^2 near zero, 1 - exp(-q(|x|)) beyond. Coefficients: N. Juffa, "erff", accurate to 1 ulp.
inline Vec erf(Vec x) {
  // Past 4 the result is 1 in float32, and the polynomial would leave its range. `a` of NaN is 4, `small` is NaN.
  const Vec magnitude = absolute(x);
  const Vec a = magnitude < 4.0f ? magnitude : splat(4.0f);
  const Vec s = a * a;
  Vec q = fma(splat(-1.72853470e-5f), a, splat(3.83197126e-4f));
  const Vec u = fma(splat(-3.88396438e-3f), a, splat(2.42546219e-2f));
  q = fma(q, s, u);
  q = fma(q, a, splat(-1.06777877e-1f));
  q = fma(q, a, splat(-6.34846687e-1f));
  q = fma(q, a, splat(-1.28717512e-1f));
  q = fma(q, a, -a);
  const Vec large = with_sign(1.0f - exp_bounded(q), x);
  Vec p = fma(splat(-5.96761703e-4f), s, splat(4.99119423e-3f));
  p = fma(p, s, splat(-2.67681349e-2f));
  p = fma(p, s, splat(1.12819925e-1f));
  p = fma(p, s, splat(-3.76125336e-1f));
  p = fma(p, s, splat(1.28379166e-1f));
  const Vec small = fma(p, x, x);
  return magnitude > 0.921875f ? large : small;
}

inline Vec hard_sigmoid(Vec x) { return clamp(x + 3.0f, Vec{}, splat(6.0f)) * (1.0f / 6.0f); }
inline Vec hard_swish(Vec x) { return x * hard_sigmoid(x); }
/// Returns zero, but NaN where `x` is infinite, which is what ATen's formulas give there.
inline Vec nan_of_infinity(Vec x) { return x - x; }  // NOLINT(misc-redundant-expression): the difference may be NaN

inline Vec silu(Vec x) { return fma(x, sigmoid(x), nan_of_infinity(at_most(Vec{}, x))); }
inline Vec gelu_erf(Vec x) { return fma(0.5f * x, 1.0f + erf(x * 0.70710678f), nan_of_infinity(x)); }

/// 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3), written as x sigmoid(2u).
inline Vec gelu_tanh(Vec x) {
  const Vec u = 0.79788456f * x * fma(splat(0.044715f), x * x, splat(1.0f));
  return fma(x, sigmoid(2.0f * u), nan_of_infinity(at_most(Vec{}, x)));
}

}  // namespace pt2::PT2_ISA
