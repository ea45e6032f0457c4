// Packs weights into the panels that products read, in one pass over them.
#pragma once

#include <algorithm>

#include "../panels.h"
#include "../simd/transpose.h"
#include "../winograd.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// A vector of columns over the inner dimension, which is contiguous in `from`: squares are transposed in registers.
inline void pack_rows(const Panels& p, const float* from, int64_t columns, float* to) {
  for (int64_t k = 0; k < p.inner; k += kLanes) {
    const int64_t left = p.inner - k;
    Vec square[kLanes];
    for (int64_t i = 0; i < kLanes; ++i)
      square[i] = i < columns ? load_up_to(from + i * p.column_stride + k, left) : Vec{};
    transpose(square);
    for (int64_t i = 0; i < std::min(left, kLanes); ++i) store(to + (k + i) * p.panel, square[i]);
  }
}

/// A vector of columns that lie side by side in `from`.
inline void pack_columns(const Panels& p, const float* from, int64_t columns, float* to) {
  for (int64_t k = 0; k < p.inner; ++k) store(to + k * p.panel, load_up_to(from + k * p.inner_stride, columns));
}

inline void pack_each(const Panels& p, const float* from, int64_t columns, float* to) {
  for (int64_t k = 0; k < p.inner; ++k)
    for (int64_t i = 0; i < kLanes; ++i)
      to[k * p.panel + i] = i < columns ? from[i * p.column_stride + k * p.inner_stride] : 0.0f;
}

/// Packs panels [begin, end).
inline void pack_panels(const Panels& p, int64_t begin, int64_t end) {
  for (int64_t c = begin * p.panel; c < end * p.panel; c += kLanes) {
    const int64_t columns = std::clamp<int64_t>(p.columns - c, 0, kLanes);
    const float* from = p.from + std::min(c, p.columns - 1) * p.column_stride;
    float* to = p.to + c / p.panel * p.inner * p.panel + c % p.panel;
    if (p.inner_stride == 1) {
      pack_rows(p, from, columns, to);
    } else if (p.column_stride == 1) {
      pack_columns(p, from, columns, to);
    } else {
      pack_each(p, from, columns, to);
    }
  }
}

/// G g for three values `stride` apart: six values `to_stride` apart, of kLanes filters each. A row of G has the powers
/// of its point over the product of its distances from the others.
inline void filter_transform(const double* g, int64_t stride, double* to, int64_t to_stride) {
  constexpr double kNear = -2.0 / 3, kNearPoint = 0.70710678118654752, kFar = 1.0 / 6, kFarPoint = 1.4142135623730950;
  for (int64_t i = 0; i < kLanes; ++i) {
    const double g0 = g[i], g1 = g[stride + i], g2 = g[2 * stride + i];
    const double even = kNear * (g0 + g2 * 0.5), odd = kNear * kNearPoint * g1;
    const double near = kFar * (g0 + g2 * 2.0), far = kFar * kFarPoint * g1;
    to[i] = g0;
    to[to_stride + i] = even + odd;
    to[2 * to_stride + i] = even - odd;
    to[3 * to_stride + i] = near + far;
    to[4 * to_stride + i] = near - far;
    to[5 * to_stride + i] = g2;
  }
}

/// Transforms filters to G g G^T and packs panels [begin, end). In double: this is done once, and its rounding would be
/// in every result.
inline void pack_winograd_panels(const WinogradPanels& p, int64_t begin, int64_t end) {
  const int64_t point_floats = p.count() * p.inner * p.panel;
  double filter[9 * kLanes], half[18 * kLanes], points[kWinogradPoints * kLanes];
  for (int64_t c = begin * p.panel; c < end * p.panel; c += kLanes) {
    const int64_t columns = std::clamp<int64_t>(p.columns - c, 0, kLanes);
    for (int64_t k = 0; k < p.inner; ++k) {
      for (int64_t i = 0; i < kLanes; ++i) {
        const float* from = i < columns ? p.from + ((c + i) * p.inner + k) * 9 : nullptr;
        for (int64_t j = 0; j < 9; ++j) filter[j * kLanes + i] = from ? from[j] : 0.0f;
      }
      for (int64_t j = 0; j < 3; ++j) filter_transform(filter + j * kLanes, 3 * kLanes, half + j * kLanes, 3 * kLanes);
      for (int64_t j = 0; j < kWinogradIn; ++j)
        filter_transform(half + 3 * j * kLanes, kLanes, points + j * kWinogradIn * kLanes, kLanes);
      float* to = p.to + (c / p.panel * p.inner + k) * p.panel + c % p.panel;
      for (int64_t j = 0; j < kWinogradPoints; ++j)
        for (int64_t i = 0; i < kLanes; ++i) to[j * point_floats + i] = static_cast<float>(points[j * kLanes + i]);
    }
  }
}

}  // namespace pt2::PT2_ISA
