// Matrix product with a packed right side: a register tile of rows by a few vectors of columns, over the inner
// dimension.
//
// Per step of the inner dimension a tile of R rows and V vectors loads V vectors of the panel and broadcasts R numbers
// for R V multiply-adds. Of the tiles that the registers hold, those that are nearest to square need the fewest
// instructions for one, which counts where two threads share a core. The left side is read where it lies. Rows a
// multiple of a page apart would all fall into one set of the first-level cache, so such a block is first copied with a
// stride that spreads them.
#pragma once

#include <utility>

#include "../gemm.h"
#include "activate.h"

namespace pt2::PT2_ISA {

/// Rows of a tile of one vector, of two and so on: sums, a row of the panel and one number fill the registers.
#if defined(PT2_AVX512)
inline constexpr int kTileRows[] = {14, 14, 9, 6};
#else
inline constexpr int kTileRows[] = {6, 6};
#endif
inline constexpr int kTileVectors = sizeof(kTileRows) / sizeof(kTileRows[0]);
inline constexpr int kMostRows = kTileRows[0];

/// Instructions for one step of the inner dimension, for each row of a tile.
inline double tile_cost(int rows, int vectors) {
  constexpr double kLoop = 3;
  return (vectors + rows + rows * vectors + kLoop) / rows;
}

/// Panels of the width that takes the fewest instructions, up to `most` vectors; the last of them may have fewer.
inline GemmShape shape_of(int64_t columns, int most) {
  const int64_t vectors = (columns + kLanes - 1) / kLanes;
  GemmShape best{};
  double least = 0;
  for (int v = 1; v <= most; ++v) {
    const int rows = kTileRows[v - 1];
    const int last = static_cast<int>(vectors % v);
    const double cost =
        static_cast<double>(vectors / v) * tile_cost(rows, v) + (last > 0 ? tile_cost(rows, last) : 0.0);
    if (best.rows > 0 && cost >= least) continue;
    best = {.rows = rows, .panel = v * kLanes};
    least = cost;
  }
  return best;
}

inline GemmShape gemm_shape(int64_t columns) { return shape_of(columns, kTileVectors); }

/// Some rows in blocks that differ by one row at most: the first `longer` of them have one more than `rows`.
struct GemmBlocks {
  int64_t count, rows, longer;

  GemmBlocks(int64_t all, int64_t blocks) : count(blocks), rows(all / blocks), longer(all % blocks) {}
  int64_t begin(int64_t block) const { return block * rows + (block < longer ? block : longer); }
  int64_t size(int64_t block) const { return rows + (block < longer ? 1 : 0); }
};

struct GemmTile {
  const float* a;
  int64_t a_stride;
  const float* b;
  int64_t panel;      // floats from one row of `b` to the next
  const float* next;  // what to bring into the second-level cache meanwhile, `inner` vectors of it; null for none
  int64_t inner;
  const float* bias;      // null for none; only read by the first block of the inner dimension
  const float* residual;  // null for none, and for all but the last block
  float* out;
  int64_t out_stride;
  int64_t columns;          // real columns, at most those of the panel
  bool first;               // starts from the bias rather than from `out`
  const Activation* clamp;  // null, or bounds for the finished sums
};

template <int R, int V>
inline void start_tile(const GemmTile& t, Vec (&acc)[R][V]) {
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const int64_t left = t.columns - v * kLanes;
    const Vec bias = t.bias && t.first ? load_up_to(t.bias + v * kLanes, left) : Vec{};
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][v] = bias;
    if (t.first) continue;
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) acc[i][v] += load_up_to(t.out + i * t.out_stride + v * kLanes, left);
  }
}

template <int R, int V>
inline void store_tile(const GemmTile& t, Vec (&acc)[R][V]) {
#pragma GCC unroll 4
  for (int v = 0; v < V; ++v) {
    const int64_t left = t.columns - v * kLanes;
    if (t.residual) {
#pragma GCC unroll 16
      for (int i = 0; i < R; ++i) acc[i][v] += load_up_to(t.residual + i * t.out_stride + v * kLanes, left);
    }
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

/// The left side of a tile of as many rows as there are registers for their addresses.
template <int R>
struct FewRows {
  const float* at[R];

  Vec number(int row, int64_t k) const { return splat(at[row][k]); }
  void advance() {}
};

/// The left side of a tile of up to 14 rows: two pointers and three strides instead of an address for each row, which
/// compilers move through vector registers in each step.
template <int R>
class ManyRows {
 public:
  ManyRows(const float* a, int64_t stride)
      : first_(reinterpret_cast<const char*>(a)),
        second_(reinterpret_cast<const char*>(a + kHalf * stride)),
        one_(stride * 4),
        three_(3 * one_),
        five_(5 * one_) {}

  /// The number of a row for the current step.
  Vec number(int row, int64_t) const {
    const char* p = row < kHalf ? first_ : second_;
    switch (row % kHalf) {
      case 0: return at(p);
      case 1: return at(p + one_);
      case 2: return at(p + 2 * one_);
      case 3: return at(p + three_);
      case 4: return at(p + 4 * one_);
      case 5: return at(p + five_);
      default: return at(p + 2 * three_);
    }
  }
  void advance() {
    first_ = hidden(first_ + 4);
    second_ = hidden(second_ + 4);
    one_ = hidden(one_);
    three_ = hidden(three_);
    five_ = hidden(five_);
  }

 private:
  static Vec at(const char* p) { return splat(*reinterpret_cast<const float*>(p)); }
  /// Nothing is known of the result, so that no sums with it are kept from step to step.
  template <typename T>
  static T hidden(T value) {
    asm("" : "+r"(value));
    return value;
  }

  static constexpr int kHalf = (R + 1) / 2;
  static_assert(kHalf <= 7);

  const char *first_, *second_;
  int64_t one_, three_, five_;  // strides in bytes, which instructions multiply by 1, 2 and 4
};

/// Addresses that fit into registers beside what else a tile needs.
inline constexpr int kMostAddresses = 9;

/// The weights of a tile, from the current step on.
struct TileWeights {
  const float* b;
  int64_t panel;      // floats from one step to the next
  const float* next;  // what comes into the second-level cache meanwhile, a vector a step
};

/// Adds the products of steps [begin, end). Each loop must be inlined where the sums are in registers.
template <bool kBrings, int R, int V, typename Rows>
[[gnu::always_inline]] inline void add_products(int64_t begin, int64_t end, Rows& rows, TileWeights& weights,
                                                Vec (&acc)[R][V]) {
  for (int64_t k = begin; k < end; ++k) {
    if constexpr (kBrings) {
      __builtin_prefetch(weights.next, 0, 2);
      weights.next += kLanes;
    }
    Vec w[V];
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) w[v] = load(weights.b + v * kLanes);
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const Vec x = rows.number(i, k);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) acc[i][v] = fma(x, w[v], acc[i][v]);
    }
    weights.b += weights.panel;
    rows.advance();
  }
}

/// Parts of the inner dimension that a tile of so many rows reads side by side. One or two rows take less time to
/// multiply than weights take from memory, and a processor fetches more of it from several places at once: 16 instead
/// of 13 GB/s, measured on an Intel Xeon.
inline constexpr int parts_of(int rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

/// Adds the products of all steps, with sums of its own for each part.
template <int P, int R, int V>
[[gnu::always_inline]] inline void add_parts(const GemmTile& t, Vec (&acc)[R][V]) {
  const int64_t length = t.inner / P;
  Vec sums[P][R][V] = {};
  for (int64_t k = 0; k < length; ++k) {
#pragma GCC unroll 4
    for (int p = 0; p < P; ++p) {
      const int64_t step = p * length + k;
#pragma GCC unroll 2
      for (int i = 0; i < R; ++i) {
        const Vec x = splat(t.a[i * t.a_stride + step]);
#pragma GCC unroll 4
        for (int v = 0; v < V; ++v) sums[p][i][v] = fma(x, load(t.b + step * t.panel + v * kLanes), sums[p][i][v]);
      }
    }
  }
  for (int64_t k = P * length; k < t.inner; ++k) {
#pragma GCC unroll 2
    for (int i = 0; i < R; ++i) {
      const Vec x = splat(t.a[i * t.a_stride + k]);
#pragma GCC unroll 4
      for (int v = 0; v < V; ++v) acc[i][v] = fma(x, load(t.b + k * t.panel + v * kLanes), acc[i][v]);
    }
  }
#pragma GCC unroll 2
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < V; ++v) {
#pragma GCC unroll 4
      for (int p = 0; p < P; ++p) acc[i][v] += sums[p][i][v];
    }
  }
}

template <int R, int V>
struct ProductTile {
  static void tile(const GemmTile& t) {
    Vec acc[R][V];
    start_tile(t, acc);
    if constexpr (parts_of(R) > 1) {
      add_parts<parts_of(R)>(t, acc);
    } else if (t.next) {
      walk<true>(t, acc);
    } else {
      walk<false>(t, acc);
    }
    store_tile(t, acc);
  }

 private:
  template <bool kBrings>
  [[gnu::always_inline]] static void walk(const GemmTile& t, Vec (&acc)[R][V]) {
    TileWeights weights{t.b, t.panel, t.next};
    if constexpr (R <= kMostAddresses) {
      FewRows<R> rows;
      for (int i = 0; i < R; ++i) rows.at[i] = t.a + i * t.a_stride;
      add_products<kBrings>(0, t.inner, rows, weights, acc);
    } else {
      ManyRows<R> rows(t.a, t.a_stride);
      add_products<kBrings>(0, t.inner, rows, weights, acc);
    }
  }
};

/// The functions for tiles of V vectors, by rows; `Make<R, V>::tile` is one.
template <template <int, int> class Make, int V, int... R>
inline auto pick_rows(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr decltype(&Make<1, 1>::tile) kTiles[] = {Make<R + 1, V>::tile...};
  return kTiles[rows - 1];
}

/// The function for a tile of so many rows and columns. Rows are at most those of a panel that is as wide or wider.
template <template <int, int> class Make, int V = kTileVectors>
inline auto pick_tile(int64_t rows, int64_t columns) {
  if constexpr (V > 1) {
    if (columns <= (V - 1) * kLanes) return pick_tile<Make, V - 1>(rows, columns);
  }
  return pick_rows<Make, V>(rows, std::make_integer_sequence<int, kTileRows[V - 1]>{});
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
    if (!g.parts) bring_columns({g.a, g.inner, g.pitch}, 0, from, to, k, inner);
    int64_t column = 0;
    for (int64_t p = 0; p < g.part_count; column += g.parts[p++].width) {
      bring_columns(g.parts[p], column, from, to, k, inner);
    }
    copy.from = from;
    copy.to = to;
    copy.inner = k;
  }
  /// Copies what columns [k, k + inner) have of a part that begins at `column`.
  void bring_columns(const Concatenation::Part& part, int64_t column, int64_t from, int64_t to, int64_t k,
                     int64_t inner) {
    const int64_t begin = column > k ? column : k;
    const int64_t past = column + part.width < k + inner ? column + part.width : k + inner;
    for (int64_t r = from; r < to && begin < past; ++r) {
      float* row = copy.memory + (r - from) * kGemmCopyStride + (begin - k);
      const float* x = part.from + r * part.pitch + (begin - column);
      if (g.scale) {
        scale_row(x, begin, past - begin, row);
      } else {
        std::memcpy(row, x, static_cast<size_t>(past - begin) * sizeof(float));
      }
    }
  }
  void scale_row(const float* x, int64_t k, int64_t inner, float* row) const {
    each_vector(inner, [&](int64_t i, int64_t left) {
      const Vec scale = load_up_to(g.scale + k + i, left), shift = load_up_to(g.shift + k + i, left);
      store_up_to(row + i, at_least(Vec{}, fma(load_up_to(x + i, left), scale, shift)), left);
    });
  }
  int64_t stride() const { return copies() ? kGemmCopyStride : g.pitch; }
  const float* at(int64_t row, int64_t k) const {
    return copies() ? copy.memory + (row - copy.from) * kGemmCopyStride : g.a + row * g.pitch + k;
  }
};

/// Tiles [begin, end) of `g.tiles()`.
inline void gemm(const Gemm& g, int64_t begin, int64_t end, GemmCopy& copy) {
  const int64_t panels = g.panels();
  const bool panel_major = g.panel_major();
  const int64_t band_blocks = g.band_blocks();
  const int64_t run = panel_major ? band_blocks : panels;  // tiles that share a panel, or a block of rows
  const GemmBlocks blocks(g.rows, g.blocks());
  // Weights that do not stay in the second-level cache come a panel ahead.
  const bool streams = panel_major && panels * g.inner * g.shape.panel > kGemmCached;
  const ActivationKind kind = g.activation.kind;
  GemmRows a{g, copy};
  for (int64_t k = 0; k < g.inner || k == 0; k += kGemmInner) {
    const int64_t inner = g.inner - k < kGemmInner ? g.inner - k : kGemmInner;
    const bool last = k + inner >= g.inner;
    // Numbers of 64 bits are divided once: a division takes as long as many multiply-adds.
    int64_t outer = begin / run, inside = begin % run;
    int64_t first = panel_major ? outer / panels * band_blocks : 0;  // of the blocks of a band
    if (panel_major) outer %= panels;
    for (int64_t tile = begin; tile < end; ++tile, ++inside) {
      if (inside == run) {
        inside = 0;
        ++outer;
      }
      if (panel_major && outer == panels) {
        outer = 0;
        first += band_blocks;
      }
      const int64_t block = panel_major ? first + inside : outer, panel = panel_major ? outer : inside;
      if (block >= blocks.count) continue;
      const int64_t row = blocks.begin(block), rows = blocks.size(block);
      const int64_t column = panel * g.shape.panel;
      const int64_t columns = g.columns - column < g.shape.panel ? g.columns - column : g.shape.panel;
      const float* weights = g.packed + (panel * g.inner + k) * g.shape.panel;
      const bool brings = streams && panel + 1 < panels && inside < g.shape.panel / kLanes;
      const float* next = brings ? weights + g.inner * g.shape.panel + inside * inner * kLanes : nullptr;
      // Along a panel, all rows of its band.
      const int64_t past = first + band_blocks < blocks.count ? first + band_blocks : blocks.count;
      a.bring(panel_major ? blocks.begin(first) : row, panel_major ? blocks.begin(past) : row + rows, k, inner);
      float* out = g.out + row * g.out_pitch + column;
      pick_tile<ProductTile>(rows, columns)({
          .a = a.at(row, k),
          .a_stride = a.stride(),
          .b = weights,
          .panel = g.shape.panel,
          .next = next,
          .inner = inner,
          .bias = g.bias ? g.bias + column : nullptr,
          .residual = last && g.residual ? g.residual + row * g.out_pitch + column : nullptr,
          .out = out,
          .out_stride = g.out_pitch,
          .columns = columns,
          .first = k == 0,
          .clamp = last && kind == ActivationKind::kClamp ? &g.activation : nullptr,
      });
      // Other activations are applied to the tile in the first-level cache: in registers they would be spilled anyway.
      if (!last || kind == ActivationKind::kNone || kind == ActivationKind::kClamp) continue;
      for (int64_t c = 0; c < columns; c += kLanes) {
        activate_columns(out + c, rows, g.out_pitch, columns - c < kLanes ? columns - c : kLanes, g.activation);
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
