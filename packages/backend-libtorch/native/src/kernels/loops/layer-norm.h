// Layer normalization: three passes over a row that stays in the first-level cache. The variance is taken around the
// mean, not as a difference of squares, which would cancel; what rounding left of the mean is taken off as well, or the
// elements of a constant row, which have no other deviation, would be scaled up with it.
#pragma once

#include "../layer-norm.h"
#include "../simd/vector.h"

namespace pt2::PT2_ISA {

/// Rows [begin, end).
inline void layer_norm(const LayerNorm& t, int64_t begin, int64_t end) {
  const float scale = 1.0f / static_cast<float>(t.width);
  for (int64_t r = begin; r < end; ++r) {
    const float* x = t.x + r * t.width;
    float* out = t.out + r * t.width;
    Vec total{};
    if (t.other) {
      const float* other = t.other + r * t.width;
      float* sum = t.sum + r * t.width;
      each_vector(t.width, [&](int64_t i, int64_t left) {
        const Vec v = load_up_to(x + i, left) + load_up_to(other + i, left);
        store_up_to(sum + i, v, left);
        total += v;
      });
      x = sum;
    } else {
      each_vector(t.width, [&](int64_t i, int64_t left) { total += load_up_to(x + i, left); });
    }
    const Vec mean = splat(sum_lanes(total) * scale);
    Vec squares{};
    Vec deviations{};
    each_vector(t.width, [&](int64_t i, int64_t left) {
      const Vec d = lanes_below(left, load_up_to(x + i, left) - mean, Vec{});
      squares = fma(d, d, squares);
      deviations += d;
    });
    const float rest = sum_lanes(deviations) * scale;
    const Vec shift = splat(rest);
    const float variance = sum_lanes(squares) * scale - rest * rest;
    const Vec inverse = splat(1.0f / __builtin_sqrtf((variance > 0.0f ? variance : 0.0f) + t.epsilon));
    each_vector(t.width, [&](int64_t i, int64_t left) {
      Vec v = (load_up_to(x + i, left) - mean - shift) * inverse;
      if (t.weight) v *= load_up_to(t.weight + i, left);
      if (t.bias) v += load_up_to(t.bias + i, left);
      store_up_to(out + i, v, left);
    });
  }
}

}  // namespace pt2::PT2_ISA
