// A linear layer whose weight is int8, as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// Rows of the weight in a panel, which a thread takes at once: those of 1024 bytes stay in the first-level cache.
inline constexpr int64_t kInt8Panel = 32;

/// out[m, n] = sum_k x[m, k] (weight[n, k] - zero[n, k / group]) scale[n, k / group] + bias[n]
struct Int8Linear {
  const float* x;        // rows, inner
  const int8_t* weight;  // columns, inner
  const float* scale;    // columns, groups; null for one group of 1
  const float* zero;     // columns, groups; null for zeros; only with `scale`
  const float* bias;     // columns, or null
  float* out;            // rows, columns
  int64_t rows, inner, columns, groups;

  int64_t group() const { return inner / groups; }
  int64_t panels() const { return (columns + kInt8Panel - 1) / kInt8Panel; }
};

}  // namespace pt2
