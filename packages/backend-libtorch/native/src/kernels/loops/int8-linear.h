// Dot products of rows of floats with rows of int8, which are read as they lie in memory.
//
// A tile of R rows by W rows of the weight converts W vectors of int8 for R W multiply-adds, so a row is bound by what
// memory gives: a byte for each weight. For many rows a panel is converted once, and they are bound by multiply-adds, as a
// product of floats is.
#pragma once

#include "../int8-linear.h"
#include "../simd/vector.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// Rows, and rows of the weight, of a tile: sums, a vector of each row of the weight and its zero point, and one of a row
/// fill the registers.
#if defined(PT2_AVX512)
inline constexpr int kInt8Rows = 5, kInt8Weights = 4;
#else
inline constexpr int kInt8Rows = 4, kInt8Weights = 2;
#endif

/// Columns that rows of a tile are read up to before other rows of the weight are: they stay in the first-level cache.
inline constexpr int64_t kInt8Inner = 1024;

/// Blocks of rows from which on weights are converted before the first.
inline constexpr int64_t kInt8Blocks = 3;

/// Bytes of the weight that are asked of memory before a row reads them: of four rows side by side, processors see too little of
/// each to fetch ahead by themselves.
inline constexpr int64_t kInt8Ahead = 32768;
inline constexpr int64_t kLineBytes = kLineFloats * 4;

/// A tile whose weights are of type T: int8, or the floats that they stand for.
template <typename T>
struct Int8Tile {
  const float* x;
  const T* weight;
  const float* scale;  // null for none; of the first row, and of the first group that is read
  const float* zero;   // likewise
  int64_t inner;       // of `x`, from one row to the next
  int64_t pitch;       // of `weight`, likewise
  int64_t groups;      // of `scale` and `zero`, likewise
  int64_t columns;     // to be read
  int64_t group;       // columns with one scale, at most as many
};

inline Vec load_weights(const float* p) { return load(p); }
inline Vec load_weights(const int8_t* p) { return load_int8(p); }
inline Vec load_weights_part(const float* p, int64_t count) { return load_part(p, count); }
inline Vec load_weights_part(const int8_t* p, int64_t count) { return load_int8_part(p, count); }

/// Adds the products of `kLanes` columns from `k` on, or of `left` of them.
template <bool kWhole, bool kScaled, bool kShifted, typename T, int R, int W>
[[gnu::always_inline]] inline void add_columns(const Int8Tile<T>& t, int64_t k, int64_t left, const Vec (&scale)[W],
                                               const Vec (&zero)[W], Vec (&sums)[R][W]) {
  if constexpr (kWhole && R == 1 && sizeof(T) == 1) {
    // Rows lie one behind the other, so the tile's memory is one piece.
    if (W * k % kLineBytes < W * kLanes) __builtin_prefetch(t.weight + W * k + kInt8Ahead, 0, 2);
  }
  Vec weight[W];
#pragma GCC unroll 4
  for (int w = 0; w < W; ++w) {
    const T* from = t.weight + w * t.pitch + k;
    weight[w] = kWhole ? load_weights(from) : load_weights_part(from, left);
    if constexpr (kShifted) weight[w] -= zero[w];
    if constexpr (kScaled) weight[w] *= scale[w];
  }
#pragma GCC unroll 5
  for (int i = 0; i < R; ++i) {
    const float* from = t.x + i * t.inner + k;
    const Vec x = kWhole ? load(from) : load_part(from, left);
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) sums[i][w] = fma(x, weight[w], sums[i][w]);
  }
}

/// Adds the products of columns [begin, end), which are in one group; without `kParts` they fill vectors. `sums` are
/// scaled already where rows have several groups.
template <bool kParts, bool kScaled, bool kShifted, typename T, int R, int W>
[[gnu::always_inline]] inline void add_group(const Int8Tile<T>& t, int64_t begin, int64_t end, int64_t group,
                                             Vec (&sums)[R][W]) {
  // Weights are scaled before many rows, and the sum of one row after it.
  constexpr bool kBefore = kScaled && R > 1;
  Vec scale[W] = {}, zero[W] = {};
#pragma GCC unroll 4
  for (int w = 0; w < W; ++w) {
    if constexpr (kScaled) scale[w] = splat(t.scale[w * t.groups + group]);
    if constexpr (kShifted) zero[w] = splat(t.zero[w * t.groups + group]);
  }
  Vec own[R][W] = {};
  Vec(&to)[R][W] = kScaled && !kBefore ? own : sums;
  int64_t k = begin;
  for (; k + kLanes <= end; k += kLanes) add_columns<true, kBefore, kShifted>(t, k, kLanes, scale, zero, to);
  if constexpr (kParts) {
    if (k < end) add_columns<false, kBefore, kShifted>(t, k, end - k, scale, zero, to);
  }
  if constexpr (kScaled && !kBefore) {
#pragma GCC unroll 4
    for (int w = 0; w < W; ++w) sums[0][w] = fma(own[0][w], scale[w], sums[0][w]);
  }
}

template <bool kShifted, typename T, int R, int W>
[[gnu::always_inline]] inline void add_groups(const Int8Tile<T>& t, Vec (&sums)[R][W]) {
  // What is scaled by one number is scaled at the end.
  if (t.group >= t.columns) return add_group<true, false, kShifted>(t, 0, t.columns, 0, sums);
  const int64_t size = t.group;
  if (size % kLanes == 0) {
    for (int64_t group = 0, k = 0; k < t.columns; ++group, k += size)
      add_group<false, true, kShifted>(t, k, k + size, group, sums);
  } else {
    for (int64_t group = 0, k = 0; k < t.columns; ++group, k += size)
      add_group<true, true, kShifted>(t, k, k + size, group, sums);
  }
}

template <typename T, int R, int W>
struct Int8Dots {
  /// Writes dot products to `to`, W for each row.
  static void tile(const Int8Tile<T>& t, float* to) {
    Vec sums[R][W] = {};
    if (t.zero) {
      add_groups<true>(t, sums);
    } else {
      add_groups<false>(t, sums);
    }
    const bool scales = t.scale && t.group >= t.columns;
#pragma GCC unroll 5
    for (int i = 0; i < R; ++i) sum_each(sums[i], to + i * W);
    for (int i = 0; scales && i < R; ++i) {
      for (int w = 0; w < W; ++w) to[i * W + w] *= t.scale[w * t.groups];
    }
  }
};

template <typename T, int W, int... R>
inline auto pick_int8(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr decltype(&Int8Dots<T, 1, 1>::tile) kTiles[] = {Int8Dots<T, R + 1, W>::tile...};
  return kTiles[rows - 1];
}

/// Computes the tiles of some rows with rows [panel, last) of the weight, whose first is `first`, from column `k` on.
template <typename T>
inline void int8_tiles(const Int8Linear& g, const Int8Tile<T>& first, int64_t row, int64_t rows, int64_t panel,
                       int64_t last, int64_t k) {
  constexpr auto kRows = std::make_integer_sequence<int, kInt8Rows>{};
  Int8Tile<T> tile = first;
  tile.x = g.x + row * g.inner + k;
  for (int64_t n = panel, count; n < last; n += count) {
    count = n + kInt8Weights <= last ? kInt8Weights : 1;
    float dots[kInt8Rows * kInt8Weights];
    (count == 1 ? pick_int8<T, 1>(rows, kRows) : pick_int8<T, kInt8Weights>(rows, kRows))(tile, dots);
    for (int64_t i = 0; i < rows; ++i) {
      float* out = g.out + (row + i) * g.columns + n;
      for (int64_t w = 0; w < count; ++w) {
        const float before = k > 0 ? out[w] : g.bias ? g.bias[n + w] : 0.0f;
        out[w] = before + dots[i * count + w];
      }
    }
    tile.weight += count * tile.pitch;
    if (tile.scale) tile.scale += count * g.groups;
    if (tile.zero) tile.zero += count * g.groups;
  }
}

/// Rows of the weight that are asked of memory before they are converted.
inline constexpr int64_t kInt8RowsAhead = 8;

/// Writes the floats that some rows of the weight stand for, `to_pitch` from one to the next.
inline void dequantize_rows(const Int8Tile<int8_t>& t, int64_t rows, float* to, int64_t to_pitch) {
  for (int64_t n = 0; n < rows; ++n) {
    const int8_t* next = t.weight + (n + kInt8RowsAhead) * t.pitch;
    for (int64_t i = 0; i < t.columns; i += kLineBytes) __builtin_prefetch(next + i, 0, 2);
    for (int64_t begin = 0, group = 0; begin < t.columns; begin += t.group, ++group) {
      const Vec scale = splat(t.scale ? t.scale[n * t.groups + group] : 1.0f);
      const Vec zero = splat(t.zero ? t.zero[n * t.groups + group] : 0.0f);
      const int64_t end = begin + t.group < t.columns ? begin + t.group : t.columns;
      each_vector(end - begin, [&](int64_t i, int64_t left) {
        const int8_t* from = t.weight + n * t.pitch + begin + i;
        const Vec weight = left < kLanes ? load_int8_part(from, left) : load_int8(from);
        store_up_to(to + n * to_pitch + begin + i, (weight - zero) * scale, left);
      });
    }
  }
}

/// Columns that are read before others are: whole groups, or a part of the only one. A row or two stay in the first-level
/// cache beside what is read of the weight once, in one go.
inline int64_t int8_depth(const Int8Linear& g) {
  if (g.rows * g.inner <= kInt8Rows * kInt8Inner) return g.inner;
  const int64_t group = g.group();
  return g.groups == 1 ? kInt8Inner : group * (group < kInt8Inner ? kInt8Inner / group : 1);
}

/// Floats from one converted row to the next: a cache line more than they are, so that rows fall into different sets.
inline int64_t int8_pitch(const Int8Linear& g) { return int8_depth(g) + kLineFloats; }

inline int64_t int8_blocks(const Int8Linear& g) { return (g.rows + kInt8Rows - 1) / kInt8Rows; }

/// Floats that a thread needs beside.
inline int64_t int8_scratch(const Int8Linear& g) {
  return int8_blocks(g) < kInt8Blocks ? 0 : kInt8Panel * int8_pitch(g);
}

/// Panels [begin, end) of rows of the weight. `scratch`: `int8_scratch` floats.
inline void int8_linear(const Int8Linear& g, int64_t begin, int64_t end, float* scratch) {
  const int64_t group = g.group(), depth = int8_depth(g), pitch = int8_pitch(g);
  const GemmBlocks blocks(g.rows, int8_blocks(g));
  const int64_t past = end * kInt8Panel < g.columns ? end * kInt8Panel : g.columns;
  for (int64_t panel = begin * kInt8Panel; panel < past; panel += kInt8Panel) {
    const int64_t last = panel + kInt8Panel < past ? panel + kInt8Panel : past;
    for (int64_t k = 0; k < g.inner; k += depth) {
      const int64_t first = panel * g.groups + k / group;
      const Int8Tile<int8_t> bytes{
          .x = nullptr,
          .weight = g.weight + panel * g.inner + k,
          .scale = g.scale ? g.scale + first : nullptr,
          .zero = g.zero ? g.zero + first : nullptr,
          .inner = g.inner,
          .pitch = g.inner,
          .groups = g.groups,
          .columns = g.inner - k < depth ? g.inner - k : depth,
          .group = group,
      };
      const Int8Tile<float> floats{nullptr, scratch, nullptr, nullptr, g.inner, pitch, 1, bytes.columns, bytes.columns};
      const bool converts = blocks.count >= kInt8Blocks;
      if (converts) dequantize_rows(bytes, last - panel, scratch, pitch);
      for (int64_t block = 0; block < blocks.count; ++block) {
        const int64_t row = blocks.begin(block), rows = blocks.size(block);
        if (converts) {
          int8_tiles(g, floats, row, rows, panel, last, k);
        } else {
          int8_tiles(g, bytes, row, rows, panel, last, k);
        }
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
