// A matrix product with a packed right side, as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "activation.h"
#include "cache.h"
#include "cat.h"

namespace pt2 {

/// Steps of the inner dimension done at once: a panel of them stays in the second-level cache.
inline constexpr int64_t kGemmInner = 1024;

/// Floats of one side that stay in the second-level cache: half a megabyte.
inline constexpr int64_t kGemmCached = int64_t{128} * 1024;

/// Stride of copied rows, in floats: one cache line more than a block, so that rows fall into different sets.
inline constexpr int64_t kGemmCopyStride = kGemmInner + kLineFloats;

/// Whether threads share rows rather than columns. Unless rows are few, a thread has then written most of what it
/// reads, and the next op finds it in the cache of the same processor.
inline bool shares_rows(int64_t rows, int64_t columns) { return 4 * rows > columns; }

/// Rows of a register tile at most, and columns of a panel.
struct GemmShape {
  int64_t rows, panel;
};

/// out[m, n] = activation(sum_k a'[m, k] b[k, n] + bias[n] + residual[m, n]), where a' is a, or
/// max(a[m, k] scale[k] + shift[k], 0).
struct Gemm {
  const float* a;         // rows, inner; rows `pitch` floats apart; null where there are parts
  const float* packed;    // panels of `shape.panel` columns: [ceil(columns / panel)][inner][panel], zero past `columns`
  const float* bias;      // columns, or null
  const float* residual;  // rows, columns, or null; rows as far apart as those of `out`
  float* out;             // rows, columns; rows `out_pitch` floats apart
  int64_t rows, inner, columns, pitch, out_pitch;
  GemmShape shape;  // of `columns`
  Activation activation;
  const float* scale = nullptr;  // inner, or null for both
  const float* shift = nullptr;
  /// Tensors whose rows, one behind the other, are those of the left side; null for one that has all of them.
  const Concatenation::Part* parts = nullptr;
  int64_t part_count = 0;
  /// Bands of rows that are walked one after the other, see `cut_into_bands`.
  int64_t bands = 1;

  /// Steps of the inner dimension done at once.
  int64_t depth() const { return std::min(inner, kGemmInner); }
  int64_t blocks() const { return (rows + shape.rows - 1) / shape.rows; }
  int64_t panels() const { return (columns + shape.panel - 1) / shape.panel; }
  int64_t band_blocks() const { return (blocks() + bands - 1) / bands; }
  /// Register tiles, and where bands are not equally long a few that are empty; the unit in which work is handed to
  /// threads.
  int64_t tiles() const { return bands * band_blocks() * panels(); }
  /// Cuts the rows into bands that stay in the second-level cache while all panels pass over them. Where threads share
  /// rows, each gets bands of its own.
  void cut_into_bands(int64_t threads) {
    if (!panel_major()) return;
    bands = (rows * depth() - 1) / std::max<int64_t>(1, floats_kept()) + 1;
    if (shares_rows(rows, columns)) bands = (bands + threads - 1) / threads * threads;
    bands = std::clamp<int64_t>(bands, 1, blocks());
  }
  /// Walk along panels with a band of rows kept in the cache, or along rows where the panels stay there and the rows do
  /// not.
  bool panel_major() const { return rows * depth() <= kGemmCached || columns * depth() > kGemmCached; }
  /// Room for copied rows, where they are scaled or of several tensors, or those of a tile would push each other out of
  /// the first-level cache.
  int64_t scratch_floats() const {
    if (!scale && !parts && !crowd(std::min(rows, shape.rows), pitch)) return 0;
    return std::min(rows, (panel_major() ? band_blocks() : 1) * shape.rows) * kGemmCopyStride;
  }
};

/// Rows of the left side that a thread has copied; it keeps them from piece to piece.
struct GemmCopy {
  float* memory;  // `Gemm::scratch_floats()` of them, or null if that is zero
  int64_t from = 0, to = 0;
  int64_t inner = -1;  // the first of the inner indices that are there
};

}  // namespace pt2
