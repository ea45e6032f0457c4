// Matrix product with a packed right side: a register tile of rows by two vectors of columns, over the inner dimension.
//
// Per step of the inner dimension a tile loads two vectors of the panel and broadcasts one number per row, each used
// for two multiply-adds; with 14 rows that keeps two FMA units of AVX-512 busy from two loads a cycle. The left side is
// read where it lies. Rows a multiple of a page apart would all fall into one set of the first-level cache, so such a
// block is first copied with a stride that spreads them.
#pragma once

#include <utility>

#include "../gemm.h"
#include "activate.h"

namespace pt2::PT2_ISA {

#if defined(PT2_AVX512)
inline constexpr int kGemmRows = 14;
#else
inline constexpr int kGemmRows = 6;
#endif
inline constexpr int kGemmVectors = 2;
inline constexpr int64_t kPanel = kGemmVectors * kLanes;

struct GemmTile {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t inner;
  const float* bias;      // null for none; only read by the first block of the inner dimension
  const float* residual;  // the same
  float* out;
  int64_t out_stride;
  int64_t columns;          // real columns, at most kPanel
  bool first;               // starts from bias and residual rather than from `out`
  const Activation* clamp;  // null, or bounds for the finished sums
};

template <int R, int V>
inline void start_tile(const GemmTile& t, Vec (&acc)[R][V]) {
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    const int64_t left = t.columns - v * kLanes;
    const Vec bias = t.bias && t.first ? load_up_to(t.bias + v * kLanes, left) : Vec{};
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][v] = bias;
    const float* from = t.first ? t.residual : t.out;
    if (!from) continue;
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][v] += load_up_to(from + i * t.out_stride + v * kLanes, left);
  }
}

template <int R, int V>
inline void store_tile(const GemmTile& t, Vec (&acc)[R][V]) {
#pragma GCC unroll 2
  for (int v = 0; v < V; ++v) {
    const int64_t left = t.columns - v * kLanes;
    if (t.clamp) {
      const Vec lo = splat(t.clamp->a), hi = splat(t.clamp->b);
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) acc[i][v] = clamp(acc[i][v], lo, hi);
    }
    float* out = t.out + v * kLanes;
    if (left >= kLanes) {
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) store(out + i * t.out_stride, acc[i][v]);
    } else {
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) store_part(out + i * t.out_stride, acc[i][v], left);
    }
  }
}

template <int R, int V>
void gemm_tile(const GemmTile& t) {
  Vec acc[R][V];
  start_tile(t, acc);
  const float* b = t.b;
  const float* a = t.a;
  for (int64_t k = 0; k < t.inner; ++k, b += kPanel, ++a) {
    Vec w[V];
#pragma GCC unroll 2
    for (int v = 0; v < V; ++v) w[v] = load(b + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Vec x = splat(a[i * t.a_stride]);
#pragma GCC unroll 2
      for (int v = 0; v < V; ++v) acc[i][v] = fma(x, w[v], acc[i][v]);
    }
  }
  store_tile(t, acc);
}

using GemmTileFunction = void (*)(const GemmTile&);

template <int V, int... R>
inline GemmTileFunction pick_rows(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr GemmTileFunction kTiles[] = {gemm_tile<R + 1, V>...};
  return kTiles[rows - 1];
}

inline GemmTileFunction pick_tile(int64_t rows, int64_t columns) {
  const auto all = std::make_integer_sequence<int, kGemmRows>{};
  return columns > kLanes ? pick_rows<2>(rows, all) : pick_rows<1>(rows, all);
}

/// The left side for one block of the inner dimension: the tensor itself, or rows copied with a stride that spreads
/// them over the sets of the cache.
struct GemmRows {
  const Gemm& g;
  GemmCopy& copy;

  bool copies() const { return copy.memory != nullptr; }

  /// Copies rows [from, to) of columns [k, k + inner) unless they are there.
  void bring(int64_t from, int64_t to, int64_t k, int64_t inner) {
    if (!copies() || (copy.inner == k && copy.from <= from && to <= copy.to)) return;
    for (int64_t r = from; r < to; ++r) {
      float* row = copy.memory + (r - from) * kGemmCopyStride;
      const float* x = g.a + r * g.inner + k;
      if (g.scale) {
        scale_row(x, k, inner, row);
      } else {
        std::memcpy(row, x, static_cast<size_t>(inner) * sizeof(float));
      }
    }
    copy.from = from;
    copy.to = to;
    copy.inner = k;
  }
  void scale_row(const float* x, int64_t k, int64_t inner, float* row) const {
    each_vector(inner, [&](int64_t i, int64_t left) {
      const Vec scale = load_up_to(g.scale + k + i, left), shift = load_up_to(g.shift + k + i, left);
      store_up_to(row + i, at_least(Vec{}, fma(load_up_to(x + i, left), scale, shift)), left);
    });
  }
  int64_t stride() const { return copies() ? kGemmCopyStride : g.inner; }
  const float* at(int64_t row, int64_t k) const {
    return copies() ? copy.memory + (row - copy.from) * kGemmCopyStride : g.a + row * g.inner + k;
  }
};

/// Tiles [begin, end) of `g.tiles()`.
inline void gemm(const Gemm& g, int64_t begin, int64_t end, GemmCopy& copy) {
  const int64_t blocks = g.blocks(), panels = g.panels();
  const bool panel_major = g.panel_major();
  const ActivationKind kind = g.activation.kind;
  GemmRows a{g, copy};
  for (int64_t k = 0; k < g.inner || k == 0; k += kGemmInner) {
    const int64_t inner = g.inner - k < kGemmInner ? g.inner - k : kGemmInner;
    const bool last = k + inner >= g.inner;
    for (int64_t tile = begin; tile < end; ++tile) {
      const int64_t block = panel_major ? tile % blocks : tile / panels;
      const int64_t panel = panel_major ? tile / blocks : tile % panels;
      const int64_t row = g.rows * block / blocks;
      const int64_t rows = g.rows * (block + 1) / blocks - row;
      const int64_t column = panel * kPanel;
      const int64_t columns = g.columns - column < kPanel ? g.columns - column : kPanel;
      a.bring(panel_major ? 0 : row, panel_major ? g.rows : row + rows, k, inner);
      float* out = g.out + row * g.columns + column;
      pick_tile(rows, columns)({
          .a = a.at(row, k),
          .a_stride = a.stride(),
          .b = g.packed + (panel * g.inner + k) * kPanel,
          .inner = inner,
          .bias = g.bias ? g.bias + column : nullptr,
          .residual = g.residual ? g.residual + row * g.columns + column : nullptr,
          .out = out,
          .out_stride = g.columns,
          .columns = columns,
          .first = k == 0,
          .clamp = last && kind == ActivationKind::kClamp ? &g.activation : nullptr,
      });
      // Other activations are applied to the tile in the first-level cache: in registers they would be spilled anyway.
      if (!last || kind == ActivationKind::kNone || kind == ActivationKind::kClamp) continue;
      for (int64_t c = 0; c < columns; c += kLanes) {
        activate_columns(out + c, rows, g.columns, columns - c < kLanes ? columns - c : kLanes, g.activation);
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
