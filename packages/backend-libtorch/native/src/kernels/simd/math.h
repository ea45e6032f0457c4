// exp, tanh, erf and what is made of them, on vectors, to about two units in the last place; erf to four.
#pragma once

#include "vector.h"

namespace pt2::PT2_ISA {

/// exp(x) = 2^n exp(r) with |r| <= ln 2 / 2: the integer n, and a polynomial of degree 6 for exp(r) (Cephes `expf`),
/// evaluated in pairs, which depend on each other less.
struct ExpParts {
  Vec n;
  Vec mantissa;
};

inline ExpParts exp_parts(Vec x) {
  const Vec n = nearest(x * 1.44269504f);
  Vec r = fma(n, splat(-0.693359375f), x);
  r = fma(n, splat(2.12194440e-4f), r);
  const Vec square = r * r;
  const Vec high = fma(r, splat(1.9875691500e-4f), splat(1.3981999507e-3f));
  const Vec middle = fma(r, splat(8.3334519073e-3f), splat(4.1665795894e-2f));
  const Vec low = fma(r, splat(1.6666665459e-1f), splat(5.0000001201e-1f));
  return {n, fma(fma(fma(high, square, middle), square, low), square, r + 1.0f)};
}

/// exp over the whole range: subnormal results round, and large ones overflow.
inline Vec exp(Vec x) {
  const auto [n, mantissa] = exp_parts(clamp(x, splat(-104.0f), splat(89.0f)));
#if defined(PT2_AVX512)
  return times_power_of_two(mantissa, n);
#else
  // In two steps, as the exponent of either has to be one of a normal number.
  const Vec half = nearest(0.5f * n);
  return times_power_of_two(times_power_of_two(mantissa, half), n - half);
#endif
}

/// exp(x) held between exp(-87) and exp(87), where results and their reciprocals are normal numbers.
inline Vec exp_bounded(Vec x) {
  const auto [n, mantissa] = exp_parts(clamp(x, splat(-87.0f), splat(87.0f)));
  return times_power_of_two(mantissa, n);
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

/// erf(x) to 4e-7 of itself: x times a quotient of polynomials in x^2, half the work of what is exact to one unit in
/// the last place. Coefficients: Eigen, `generic_fast_erf_float`.
inline Vec erf(Vec x) {
  const Vec s = x * x;
  Vec p = fma(s, splat(-2.72614225801306e-10f), splat(2.77068142495902e-08f));
  p = fma(p, s, splat(-2.10102402082508e-06f));
  p = fma(p, s, splat(-5.69250639462346e-05f));
  p = fma(p, s, splat(-7.34990630326855e-04f));
  p = fma(p, s, splat(-2.95459980854025e-03f));
  p = fma(p, s, splat(-1.60960333262415e-02f));
  Vec q = fma(s, splat(-1.45660718464996e-05f), splat(-2.13374055278905e-04f));
  q = fma(q, s, splat(-1.68282697438203e-03f));
  q = fma(q, s, splat(-7.37332916720468e-03f));
  q = fma(q, s, splat(-1.42647390514189e-02f));
  // Past 4 the result is 1 in float32, and the polynomials leave their range. What they make of NaN is NaN.
  return absolute(x) >= 4.0f ? with_sign(splat(1.0f), x) : x * p * reciprocal(q);
}

inline Vec hard_sigmoid(Vec x) { return clamp(x + 3.0f, Vec{}, splat(6.0f)) * (1.0f / 6.0f); }
inline Vec hard_swish(Vec x) { return x * hard_sigmoid(x); }
/// Returns zero, but NaN where `x` is infinite, which is what ATen's formulas give there.
inline Vec nan_of_infinity(Vec x) { return x - x; }  // NOLINT(misc-redundant-expression): the difference may be NaN

/// As ATen's formula: NaN where `x` is -infinity.
inline Vec silu(Vec x) { return x / (1.0f + exp(-x)); }
inline Vec gelu_erf(Vec x) { return fma(0.5f * x, 1.0f + erf(x * 0.70710678f), nan_of_infinity(x)); }

/// 0.5 x (1 + tanh(u)) with u = sqrt(2 / pi) (x + 0.044715 x^3), written as x sigmoid(2u).
inline Vec gelu_tanh(Vec x) {
  const Vec u = 0.79788456f * x * fma(splat(0.044715f), x * x, splat(1.0f));
  return fma(x, sigmoid(2.0f * u), nan_of_infinity(at_most(Vec{}, x)));
}

}  // namespace pt2::PT2_ISA
