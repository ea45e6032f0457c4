// Attention of one head: keys are packed transposed, values as they are, then block by block of rows: scores, softmax,
// weighted sum. The scores of a block stay in cache and never become a tensor.
#pragma once

#include "../attention.h"
#include "../simd/math.h"
#include "../simd/transpose.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// keys x width, row by row -> [keys / panel][width][panel], zero past `keys` in the vectors that have some.
inline void pack_keys(const AttentionTensor& k, const float* from, int64_t keys, int64_t width, int64_t panel,
                      float* to) {
  for (int64_t first = 0; first < keys; first += panel, to += panel * width) {
    for (int64_t row = 0; row < panel && first + row < keys; row += kLanes) {
      for (int64_t d = 0; d < width; d += kLanes) {
        Vec square[kLanes];
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i) {
          const int64_t r = first + row + i;
          square[i] = r < keys ? load_up_to(from + r * k.row + d, width - d) : Vec{};
        }
        transpose(square);
#pragma GCC unroll 16
        for (int64_t i = 0; i < kLanes; ++i) {
          if (d + i < width) store(to + (d + i) * panel + row, square[i]);
        }
      }
    }
  }
}

/// keys x width, row by row -> [width / panel][keys][panel], zero past `width`.
inline void pack_values(const AttentionTensor& v, const float* from, int64_t keys, int64_t width, int64_t panel,
                        float* to) {
  for (int64_t column = 0; column < width; column += panel) {
    for (int64_t r = 0; r < keys; ++r, to += panel) {
      for (int64_t c = 0; c < panel; c += kLanes) {
        const int64_t left = width - column - c;
        store(to + c, left > 0 ? load_up_to(from + r * v.row + column + c, left) : Vec{});
      }
    }
  }
}

/// exp(x) for x <= 0, at least exp(-80) where it is not zero: masks of -100 would make numbers that are subnormal, or
/// become it when they are multiplied, which takes processors a hundred times as long. Next to the largest weight, 1,
/// neither counts.
inline Vec weight_of(Vec x) { return x < -104.0f ? Vec{} : exp_bounded(at_least(splat(-80.0f), x)); }

/// exp(scale x + mask - max) in place over the first `keys` numbers, and their sum; zero if all are masked.
inline float soften(float* scores, const float* mask, int64_t keys, float scale) {
  const Vec factor = splat(scale);
  const Vec lowest = splat(-__builtin_inff());
  Vec best = lowest;
  for (int64_t i = 0; i < keys; i += kLanes) {
    const int64_t left = keys - i;
    Vec x = load(scores + i) * factor;
    if (mask) x += load_up_to(mask + i, left);
    // Lanes past the end must not win, and have weight zero.
    if (left < kLanes) x = lanes_below(left, x, lowest);
    store(scores + i, x);
    best = at_least(best, x);
  }
  const float top = max_lanes(best);
  if (top == -__builtin_inff()) {
    std::memset(scores, 0, static_cast<size_t>(keys) * sizeof(float));
    return 0;
  }
  Vec sum{};
  for (int64_t i = 0; i < keys; i += kLanes) {
    const Vec e = weight_of(load(scores + i) - top);
    store(scores + i, e);
    sum += e;
  }
  return sum_lanes(sum);
}

/// A block of rows by a right side whose panels are `packed_rows` rows long, of which `inner` are read.
inline void gemm_block(const float* a, int64_t a_stride, const float* packed, int64_t panel, int64_t packed_rows,
                       int64_t rows, int64_t inner, int64_t columns, float* out, int64_t out_stride) {
  for (int64_t c = 0; c < columns; c += panel, packed += panel * packed_rows) {
    const int64_t left = columns - c < panel ? columns - c : panel;
    pick_tile<ProductTile>(rows, left)({.a = a,
                                        .a_stride = a_stride,
                                        .b = packed,
                                        .panel = panel,
                                        .next = nullptr,
                                        .inner = inner,
                                        .bias = nullptr,
                                        .residual = nullptr,
                                        .out = out + c,
                                        .out_stride = out_stride,
                                        .columns = left,
                                        .first = true,
                                        .clamp = nullptr});
  }
}

/// Columns of the vectors that so many columns are in.
inline int64_t whole_vectors(int64_t columns) { return (columns + kLanes - 1) / kLanes * kLanes; }

/// Rows [first, first + rows) of one head, from packed keys and values.
inline void attend(const Attention& t, int64_t b, int64_t h, int64_t first, int64_t rows, const float* keys,
                   const float* values, float* scores) {
  const int64_t pitch = t.padded(t.keys);
  const int64_t seen = t.causal ? (first + rows < t.keys ? first + rows : t.keys) : t.keys;
  gemm_block(t.q.at(b, h, first), t.q.row, keys, t.shape.panel, t.width, rows, t.width, whole_vectors(seen), scores,
             pitch);
  float inverse[kMostRows];
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t count = t.causal ? (first + i + 1 < seen ? first + i + 1 : seen) : seen;
    float* row = scores + i * pitch;
    const float sum = soften(row, t.mask.data ? t.mask.at(b, h, first + i) : nullptr, count, t.scale);
    if (count < seen) std::memset(row + count, 0, static_cast<size_t>(seen - count) * sizeof(float));
    inverse[i] = sum == 0.0f ? 0.0f : 1.0f / sum;
  }
  const int64_t out_stride = t.heads * t.value_width;
  float* out = t.out + ((b * t.rows + first) * t.heads + h) * t.value_width;
  gemm_block(scores, pitch, values, t.shape.panel, t.keys, rows, seen, t.value_width, out, out_stride);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < t.value_width; c += kLanes) {
      float* p = out + i * out_stride + c;
      store_up_to(p, load_up_to(p, t.value_width - c) * inverse[i], t.value_width - c);
    }
  }
}

/// Work items [begin, end) of `t.items()`; `scratch` holds `t.scratch_floats()`.
inline void attention(const Attention& t, int64_t begin, int64_t end, float* scratch) {
  float* keys = scratch;
  float* values = keys + t.padded(t.keys) * t.width;
  float* scores = values + t.padded(t.value_width) * t.keys;
  int64_t packed = -1;
  for (int64_t item = begin; item < end; ++item) {
    const int64_t head = item / t.parts;
    const int64_t b = head / t.heads, h = head % t.heads;
    if (head != packed) {
      pack_keys(t.k, t.k.at(b, h, 0), t.keys, t.width, t.shape.panel, keys);
      pack_values(t.v, t.v.at(b, h, 0), t.keys, t.value_width, t.shape.panel, values);
      packed = head;
    }
    const int64_t from = t.rows * (item % t.parts) / t.parts, to = t.rows * (item % t.parts + 1) / t.parts;
    const int64_t blocks = (to - from + t.shape.rows - 1) / t.shape.rows;
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t first = from + (to - from) * i / blocks;
      attend(t, b, h, first, from + (to - from) * (i + 1) / blocks - first, keys, values, scores);
    }
  }
}

}  // namespace pt2::PT2_ISA
