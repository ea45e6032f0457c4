// Scaled dot-product attention as the loops see it: plain pointers and strides, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm.h"

namespace pt2 {

/// A [batch, heads, rows, width] tensor whose last dimension is contiguous. Strides in floats; zero broadcasts.
struct AttentionTensor {
  const float* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;

  const float* at(int64_t b, int64_t h, int64_t r) const { return data + b * batch + h * head + r * row; }
};

/// out[b, l, h] = softmax(scale q[b, h, l] k[b, h]^T + mask[b, h, l]) v[b, h]
struct Attention {
  AttentionTensor q, k, v, mask;  // mask.data is null for none
  float* out;                     // batch, rows, heads, value_width
  int64_t batch, heads, rows, keys, width, value_width;
  bool causal;
  float scale;
  GemmShape shape;  // of `value_width`, for both products
  int64_t parts;    // pieces that the rows of one head are cut into, so that there is work for every thread

  int64_t items() const { return batch * heads * parts; }
  int64_t padded(int64_t columns) const { return (columns + shape.panel - 1) / shape.panel * shape.panel; }
  /// Packed keys, packed values, and the scores of one block of rows.
  int64_t scratch_floats() const {
    return padded(keys) * width + padded(value_width) * keys + shape.rows * padded(keys);
  }
};

}  // namespace pt2
