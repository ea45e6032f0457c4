// A linear layer whose weight is of a narrower type than float32, as the loops see it: plain pointers and sizes,
// already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// Rows of the weight in a panel, which a thread takes at once: those of 1024 bytes stay in the first-level cache.
inline constexpr int64_t kNarrowPanel = 32;

/// What the weight consists of.
enum class NarrowType : uint8_t { kInt8, kFloat16, kBFloat16 };

/// out[m, n] = sum_k x[m, k] (weight[n, k] - zero[n, k / group]) scale[n, k / group] + bias[n]
struct NarrowLinear {
  const float* x;      // rows, inner
  const void* weight;  // columns, inner; of `type`
  const float* scale;  // columns, groups; null for one group of 1
  const float* zero;   // columns, groups; null for zeros; only with `scale`
  const float* bias;   // columns, or null
  float* out;          // rows, columns
  int64_t rows, inner, columns, groups;
  NarrowType type;

  int64_t group() const { return inner / groups; }
  int64_t panels() const { return (columns + kNarrowPanel - 1) / kNarrowPanel; }
};

}  // namespace pt2
