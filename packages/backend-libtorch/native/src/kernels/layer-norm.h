// Layer normalization over the last dimension as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// sum = x + other; out = (sum - mean) / sqrt(variance + epsilon) * weight + bias, row by row.
struct LayerNorm {
  const float* x;
  const float* other;   // null: nothing is added, and `sum` is null too
  const float* weight;  // width, or null
  const float* bias;    // width, or null
  float* sum;
  float* out;
  int64_t rows, width;
  float epsilon;
};

}  // namespace pt2
