// Attention of one head: keys are packed transposed, values as they are, then block by block of rows: scores, softmax,
// weighted sum. The scores of a block stay in cache and never become a tensor.
#pragma once

#include <algorithm>
#include <type_traits>

#include "../attention.h"
#include "../simd/math.h"
#include "../simd/transpose.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// keys x width, row by row -> [keys / panel][width][panel], zero past `keys` in the vectors that have some.
template <typename T>
inline void pack_keys(const AttentionTensor& k, const T* from, int64_t keys, int64_t width, int64_t panel, float* to) {
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
template <typename T>
inline void pack_values(const AttentionTensor& v, const T* from, int64_t keys, int64_t width, int64_t panel,
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
inline float soften(float* scores, const float* mask, bool fills, int64_t keys, float scale) {
  const Vec factor = splat(scale);
  const Vec lowest = splat(-__builtin_inff());
  Vec best = lowest;
  for (int64_t i = 0; i < keys; i += kLanes) {
    const int64_t left = keys - i;
    Vec x = load(scores + i) * factor;
    if (mask) {
      const Vec m = load_up_to(mask + i, left), sum = x + m;
      x = fills ? (m == lowest ? m : sum) : sum;
    }
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

/// Columns that a row sees, and weights in the place of its scores; `seen`: those that have scores. Returns 1 / their
/// sum.
inline float weigh(const Attention& t, int64_t b, int64_t h, int64_t row, int64_t seen, float* scores) {
  const int64_t count = t.causal ? std::min(row + 1, seen) : seen;
  const float sum = soften(scores, t.mask.data ? t.mask.at(b, h, row) : nullptr, t.fills, count, t.scale);
  if (count < seen) std::memset(scores + count, 0, static_cast<size_t>(seen - count) * sizeof(float));
  return sum == 0.0f && t.safe ? 0.0f : 1.0f / sum;
}

/// Rows [first, first + rows) of one head, from packed keys and values.
inline void attend(const Attention& t, int64_t b, int64_t h, int64_t first, int64_t rows, const float* keys,
                   const float* values, float* scores) {
  const int64_t pitch = t.padded(t.keys);
  const int64_t seen = t.causal ? std::min(first + rows, t.keys) : t.keys;
  gemm_block(t.q.at(b, h, first), t.q.row, keys, t.shape.panel, t.width, rows, t.width, whole_vectors(seen), scores,
             pitch);
  float inverse[kMostRows];
  for (int64_t i = 0; i < rows; ++i) inverse[i] = weigh(t, b, h, first + i, seen, scores + i * pitch);
  float* out = t.out.at(b, h, first);
  gemm_block(scores, pitch, values, t.shape.panel, t.keys, rows, seen, t.value_width, out, t.out.row);
  for (int64_t i = 0; i < rows; ++i) {
    each_vector(t.value_width, [&](int64_t c, int64_t left) {
      float* p = out + i * t.out.row + c;
      store_up_to(p, load_up_to(p, left) * inverse[i], left);
    });
  }
}

/// R rows of queries, from `row` on, by all keys, four at a time.
template <typename T, int R>
inline void score_few(const Attention& t, int64_t b, int64_t h, int64_t row, float* scores, int64_t pitch) {
  const float* q = t.q.at(b, h, row);
  const T* k = t.k.at<T>(b, h / t.sharing, 0);
  for (int64_t first = 0; first < t.keys; first += 4) {
    // Of fewer than four the last key is read again: a row of scores has room for what nothing reads.
    const T* key[4];
    for (int64_t i = 0; i < 4; ++i) key[i] = k + std::min(first + i, t.keys - 1) * t.k.row;
    Vec sums[R][4] = {};
    each_vector(t.width, [&](int64_t d, int64_t left) {
      Vec x[4];
#pragma GCC unroll 4
      for (int i = 0; i < 4; ++i) x[i] = load_up_to(key[i] + d, left);
#pragma GCC unroll 2
      for (int r = 0; r < R; ++r) {
        const Vec y = load_up_to(q + r * t.q.row + d, left);
#pragma GCC unroll 4
        for (int i = 0; i < 4; ++i) sums[r][i] = fma(x[i], y, sums[r][i]);
      }
    });
    for (int r = 0; r < R; ++r) sum_each(sums[r], scores + r * pitch + first);
  }
}

/// W vectors of values, the last of which has `left` numbers, by R rows of weights.
template <typename T, int R, int W>
inline void mix_few(const float* weights, int64_t pitch, const T* v, int64_t v_row, int64_t keys, int64_t left,
                    const float* inverse, float* out, int64_t out_row) {
  Vec sums[R][W] = {};
  for (int64_t key = 0; key < keys; ++key, v += v_row) {
    Vec x[W];
#pragma GCC unroll 4
    for (int i = 0; i < W; ++i) x[i] = i + 1 < W ? load(v + i * kLanes) : load_up_to(v + i * kLanes, left);
#pragma GCC unroll 2
    for (int r = 0; r < R; ++r) {
      const Vec w = splat(weights[r * pitch + key]);
#pragma GCC unroll 4
      for (int i = 0; i < W; ++i) sums[r][i] = fma(x[i], w, sums[r][i]);
    }
  }
  for (int r = 0; r < R; ++r) {
    for (int i = 0; i < W; ++i) {
      store_up_to(out + r * out_row + i * kLanes, sums[r][i] * inverse[r], i + 1 < W ? kLanes : left);
    }
  }
}

/// R rows, from `row` on, of a head that has few: keys and values are read where they lie.
template <typename T, int R>
inline void attend_few(const Attention& t, int64_t b, int64_t h, int64_t row, float* scores) {
  const int64_t pitch = t.padded(t.keys);
  score_few<T, R>(t, b, h, row, scores, pitch);
  float inverse[R];
  for (int r = 0; r < R; ++r) inverse[r] = weigh(t, b, h, row + r, t.keys, scores + r * pitch);
  const T* v = t.v.at<T>(b, h / t.sharing, 0);
  float* out = t.out.at(b, h, row);
  for (int64_t c = 0; c < t.value_width; c += 4 * kLanes) {
    const int64_t left = t.value_width - c;
    const auto mix = [&](auto width) {
      constexpr int W = decltype(width)::value;
      mix_few<T, R, W>(scores, pitch, v + c, t.v.row, t.keys, left - (W - 1) * kLanes, inverse, out + c, t.out.row);
    };
    if (left > 3 * kLanes) {
      mix(std::integral_constant<int, 4>{});
    } else if (left > 2 * kLanes) {
      mix(std::integral_constant<int, 3>{});
    } else if (left > kLanes) {
      mix(std::integral_constant<int, 2>{});
    } else {
      mix(std::integral_constant<int, 1>{});
    }
  }
}

/// Work items [begin, end) of `t.items()`, of keys and values of type T.
template <typename T>
inline void attend_items(const Attention& t, int64_t begin, int64_t end, float* scratch) {
  float* keys = scratch;
  float* values = keys + t.padded(t.keys) * t.width;
  float* scores = values + t.padded(t.value_width) * t.keys;
  int64_t packed = -1;
  for (int64_t item = begin; item < end; ++item) {
    const int64_t head = item / t.parts;
    const int64_t b = head / t.heads, h = head % t.heads;
    const int64_t from = t.rows * (item % t.parts) / t.parts, to = t.rows * (item % t.parts + 1) / t.parts;
    if (t.are_few()) {
      int64_t row = from;
      for (; row + 2 <= to; row += 2) attend_few<T, 2>(t, b, h, row, scratch);
      if (row < to) attend_few<T, 1>(t, b, h, row, scratch);
      continue;
    }
    const int64_t shared = head / t.sharing;
    if (shared != packed) {
      pack_keys(t.k, t.k.at<T>(b, h / t.sharing, 0), t.keys, t.width, t.shape.panel, keys);
      pack_values(t.v, t.v.at<T>(b, h / t.sharing, 0), t.keys, t.value_width, t.shape.panel, values);
      packed = shared;
    }
    const int64_t blocks = (to - from + t.shape.rows - 1) / t.shape.rows;
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t first = from + (to - from) * i / blocks;
      attend(t, b, h, first, from + (to - from) * (i + 1) / blocks - first, keys, values, scores);
    }
  }
}

/// Work items [begin, end) of `t.items()`; `scratch` holds `t.scratch_floats()`.
inline void attention(const Attention& t, int64_t begin, int64_t end, float* scratch) {
  switch (t.type) {
    case AttentionType::kFloat32: return attend_items<float>(t, begin, end, scratch);
    case AttentionType::kFloat16: return attend_items<Float16>(t, begin, end, scratch);
    case AttentionType::kBFloat16: return attend_items<BFloat16>(t, begin, end, scratch);
  }
}

}  // namespace pt2::PT2_ISA
