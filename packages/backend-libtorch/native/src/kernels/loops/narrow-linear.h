// Dot products of rows of floats with rows of narrower numbers, which are read as they lie in memory.
//
// A tile of R rows by W rows of the weight converts W vectors of them for R W multiply-adds, so a row is bound by what
// memory gives: one or two bytes for each weight. For many rows a panel is converted once, and they are bound by
// multiply-adds, as a product of floats is.
#pragma once

#include "../narrow-linear.h"
#include "../simd/vector.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// Rows, and rows of the weight, of a tile: sums, a vector of each row of the weight and its zero point, and one of a
/// row fill the registers.
#if defined(PT2_AVX512)
inline constexpr int kNarrowRows = 5, kNarrowWeights = 4;
#else
inline constexpr int kNarrowRows = 4, kNarrowWeights = 2;
#endif

/// Columns that rows of a tile are read up to before other rows of the weight are: they stay in the first-level cache.
inline constexpr int64_t kNarrowInner = 1024;

/// Blocks of rows from which on weights are converted before the first.
inline constexpr int64_t kNarrowBlocks = 3;

/// Bytes of the weight that are asked of memory before a row reads them: of four rows side by side, processors see too
/// little of each to fetch ahead by themselves.
inline constexpr int64_t kNarrowAhead = 32768;
inline constexpr int64_t kLineBytes = kLineFloats * 4;

/// A tile whose weights are of type T: narrow, or the floats that they stand for.
template <typename T>
struct NarrowTile {
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

/// Adds the products of `kLanes` columns from `k` on, or of `left` of them.
template <bool kWhole, bool kScaled, bool kShifted, typename T, int R, int W>
[[gnu::always_inline]] inline void add_columns(const NarrowTile<T>& t, int64_t k, int64_t left, const Vec (&scale)[W],
                                               const Vec (&zero)[W], Vec (&sums)[R][W]) {
  if constexpr (kWhole && R == 1 && sizeof(T) < sizeof(float)) {
    // Rows lie one behind the other, so the tile's memory is one piece.
    constexpr int64_t kBytes = W * kLanes * static_cast<int64_t>(sizeof(T));
    const char* next = reinterpret_cast<const char*>(t.weight) + k / kLanes * kBytes + kNarrowAhead;
    if constexpr (kBytes < kLineBytes) {
      if (k / kLanes * kBytes % kLineBytes < kBytes) __builtin_prefetch(next, 0, 2);
    } else {
#pragma GCC unroll 4
      for (int64_t line = 0; line < kBytes; line += kLineBytes) __builtin_prefetch(next + line, 0, 2);
    }
  }
  Vec weight[W];
#pragma GCC unroll 4
  for (int w = 0; w < W; ++w) {
    const T* from = t.weight + w * t.pitch + k;
    weight[w] = kWhole ? load(from) : load_part(from, left);
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
[[gnu::always_inline]] inline void add_group(const NarrowTile<T>& t, int64_t begin, int64_t end, int64_t group,
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
[[gnu::always_inline]] inline void add_groups(const NarrowTile<T>& t, Vec (&sums)[R][W]) {
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
struct NarrowDots {
  /// Writes dot products to `to`, W for each row.
  static void tile(const NarrowTile<T>& t, float* to) {
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
inline auto pick_narrow(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr decltype(&NarrowDots<T, 1, 1>::tile) kTiles[] = {NarrowDots<T, R + 1, W>::tile...};
  return kTiles[rows - 1];
}

/// Computes the tiles of some rows with rows [panel, last) of the weight, whose first is `first`, from column `k` on.
template <typename T>
inline void narrow_tiles(const NarrowLinear& g, const NarrowTile<T>& first, int64_t row, int64_t rows, int64_t panel,
                         int64_t last, int64_t k) {
  constexpr auto kRows = std::make_integer_sequence<int, kNarrowRows>{};
  NarrowTile<T> tile = first;
  tile.x = g.x + row * g.inner + k;
  for (int64_t n = panel, count; n < last; n += count) {
    count = n + kNarrowWeights <= last ? kNarrowWeights : 1;
    float dots[kNarrowRows * kNarrowWeights];
    (count == 1 ? pick_narrow<T, 1>(rows, kRows) : pick_narrow<T, kNarrowWeights>(rows, kRows))(tile, dots);
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
inline constexpr int64_t kNarrowRowsAhead = 8;

/// Writes the floats that some rows of the weight stand for, `to_pitch` from one to the next.
template <typename T>
inline void widen_rows(const NarrowTile<T>& t, int64_t rows, float* to, int64_t to_pitch) {
  constexpr int64_t kLine = kLineBytes / static_cast<int64_t>(sizeof(T));
  for (int64_t n = 0; n < rows; ++n) {
    const T* next = t.weight + (n + kNarrowRowsAhead) * t.pitch;
    for (int64_t i = 0; i < t.columns; i += kLine) __builtin_prefetch(next + i, 0, 2);
    for (int64_t begin = 0, group = 0; begin < t.columns; begin += t.group, ++group) {
      const Vec scale = splat(t.scale ? t.scale[n * t.groups + group] : 1.0f);
      const Vec zero = splat(t.zero ? t.zero[n * t.groups + group] : 0.0f);
      const int64_t end = begin + t.group < t.columns ? begin + t.group : t.columns;
      each_vector(end - begin, [&](int64_t i, int64_t left) {
        const Vec weight = load_up_to(t.weight + n * t.pitch + begin + i, left);
        store_up_to(to + n * to_pitch + begin + i, (weight - zero) * scale, left);
      });
    }
  }
}

/// Columns that are read before others are: whole groups, or a part of the only one. A row or two stay in the
/// first-level cache beside what is read of the weight once, in one go.
inline int64_t narrow_depth(const NarrowLinear& g) {
  if (g.rows * g.inner <= kNarrowRows * kNarrowInner) return g.inner;
  const int64_t group = g.group();
  return g.groups == 1 ? kNarrowInner : group * (group < kNarrowInner ? kNarrowInner / group : 1);
}

/// Floats from one converted row to the next: a cache line more than they are, so that rows fall into different sets.
inline int64_t narrow_pitch(const NarrowLinear& g) { return narrow_depth(g) + kLineFloats; }

inline int64_t narrow_blocks(const NarrowLinear& g) { return (g.rows + kNarrowRows - 1) / kNarrowRows; }

/// Floats that a thread needs beside.
inline int64_t narrow_scratch(const NarrowLinear& g) {
  return narrow_blocks(g) < kNarrowBlocks ? 0 : kNarrowPanel * narrow_pitch(g);
}

/// Panels [begin, end) of rows of a weight of type T.
template <typename T>
inline void narrow_panels(const NarrowLinear& g, int64_t begin, int64_t end, float* scratch) {
  const T* weight = static_cast<const T*>(g.weight);
  const int64_t group = g.group(), depth = narrow_depth(g), pitch = narrow_pitch(g);
  const GemmBlocks blocks(g.rows, narrow_blocks(g));
  const int64_t past = end * kNarrowPanel < g.columns ? end * kNarrowPanel : g.columns;
  for (int64_t panel = begin * kNarrowPanel; panel < past; panel += kNarrowPanel) {
    const int64_t last = panel + kNarrowPanel < past ? panel + kNarrowPanel : past;
    for (int64_t k = 0; k < g.inner; k += depth) {
      const int64_t first = panel * g.groups + k / group;
      const NarrowTile<T> narrow{
          .x = nullptr,
          .weight = weight + panel * g.inner + k,
          .scale = g.scale ? g.scale + first : nullptr,
          .zero = g.zero ? g.zero + first : nullptr,
          .inner = g.inner,
          .pitch = g.inner,
          .groups = g.groups,
          .columns = g.inner - k < depth ? g.inner - k : depth,
          .group = group,
      };
      const NarrowTile<float> floats{nullptr, scratch, nullptr,        nullptr,       g.inner,
                                     pitch,   1,       narrow.columns, narrow.columns};
      const bool converts = blocks.count >= kNarrowBlocks;
      if (converts) widen_rows(narrow, last - panel, scratch, pitch);
      for (int64_t block = 0; block < blocks.count; ++block) {
        const int64_t row = blocks.begin(block), rows = blocks.size(block);
        if (converts) {
          narrow_tiles(g, floats, row, rows, panel, last, k);
        } else {
          narrow_tiles(g, narrow, row, rows, panel, last, k);
        }
      }
    }
  }
}

/// Panels [begin, end) of rows of the weight. `scratch`: `narrow_scratch` floats.
inline void narrow_linear(const NarrowLinear& g, int64_t begin, int64_t end, float* scratch) {
  switch (g.type) {
    case NarrowType::kInt8: return narrow_panels<int8_t>(g, begin, end, scratch);
    case NarrowType::kFloat16: return narrow_panels<Float16>(g, begin, end, scratch);
    case NarrowType::kBFloat16: return narrow_panels<BFloat16>(g, begin, end, scratch);
  }
}

}  // namespace pt2::PT2_ISA
