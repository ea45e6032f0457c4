// Scaled dot-product attention as the loops see it: plain pointers and strides, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "gemm.h"

namespace pt2 {

/// What keys and values consist of.
enum class AttentionType : uint8_t { kFloat32, kFloat16, kBFloat16 };

/// A [batch, heads, rows, width] tensor whose last dimension is contiguous. Strides in numbers; zero broadcasts.
struct AttentionTensor {
  const void* data = nullptr;
  int64_t batch = 0, head = 0, row = 0;

  template <typename T = float>
  const T* at(int64_t b, int64_t h, int64_t r) const {
    return static_cast<const T*>(data) + b * batch + h * head + r * row;
  }
};

/// Results, of which each row is contiguous. Strides in floats.
struct AttentionResult {
  float* data;
  int64_t batch, head, row;

  float* at(int64_t b, int64_t h, int64_t r) const { return data + b * batch + h * head + r * row; }
};

/// Rows that do not pay for packing keys and values: these are read where they lie.
inline constexpr int64_t kFewRows = 8;

/// out[b, h, l] = softmax(scale q[b, h, l] k[b, h / sharing]^T + mask[b, h, l]) v[b, h / sharing]
struct Attention {
  AttentionTensor q, k, v, mask;  // mask.data is null for none
  AttentionResult out;
  int64_t batch, heads, sharing, rows, keys, width, value_width;
  bool causal;
  bool safe;   // rows that see nothing are zeros, and not NaN
  bool fills;  // the mask replaces scores where it is -inf
  float scale;
  AttentionType type;  // of keys and values
  GemmShape shape;     // of `value_width`, for both products
  int64_t parts;       // pieces that the rows of one head are cut into, so that there is work for every thread

  int64_t items() const { return batch * heads * parts; }
  int64_t padded(int64_t columns) const { return (columns + shape.panel - 1) / shape.panel * shape.panel; }
  bool are_few() const { return rows <= kFewRows; }
  /// The scores of one block of rows; without few rows, packed keys and values before them.
  int64_t scratch_floats() const {
    if (are_few()) return rows * padded(keys);
    return padded(keys) * width + padded(value_width) * keys + shape.rows * padded(keys);
  }
};

}  // namespace pt2
