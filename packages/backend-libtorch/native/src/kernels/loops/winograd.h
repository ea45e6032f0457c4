// Winograd's F(4 x 4, 3 x 3), channels-last: 36 small matrix products instead of 9 large ones, so that a tile of 16
// outputs costs 36 multiplications per pair of channels rather than 144. As in A. Lavin and S. Gray, "Fast Algorithms
// for Convolutional Neural Networks", 2015, but with the points 0, ±√½, ±√2 and infinity, whose rounding errors are
// five times smaller than those of 0, ±1, ±2 and infinity. The weights are transformed when they are packed.
#pragma once

#include "../winograd.h"
#include "activate.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

inline constexpr float kHalfRoot = 0.70710678f, kRoot = 1.41421356f;

/// B^T d for six values `stride` apart, in place.
inline void input_transform(Vec* d, int64_t stride) {
  const Vec d0 = d[0], d1 = d[stride], d2 = d[2 * stride], d3 = d[3 * stride], d4 = d[4 * stride], d5 = d[5 * stride];
  const Vec half = splat(0.5f), two = splat(2.0f), more = splat(2.5f);
  const Vec even = fma(-two, d2, d4), odd = splat(kHalfRoot) * fma(-two, d1, d3);
  const Vec near = fma(-half, d2, d4), far = splat(kRoot) * fma(-half, d1, d3);
  d[0] = fma(-more, d2, d0) + d4;
  d[stride] = even + odd;
  d[2 * stride] = even - odd;
  d[3 * stride] = near + far;
  d[4 * stride] = near - far;
  d[5 * stride] = fma(-more, d3, d1) + d5;
}

/// A^T m for six values, in place over the first four.
inline void output_transform(Vec* m, int64_t stride) {
  const Vec m0 = m[0], m5 = m[5 * stride], half = splat(0.5f), two = splat(2.0f), root = splat(kHalfRoot);
  const Vec near = m[stride] + m[2 * stride], near_odd = m[stride] - m[2 * stride];
  const Vec far = m[3 * stride] + m[4 * stride], far_odd = m[3 * stride] - m[4 * stride];
  m[0] = m0 + near + far;
  m[stride] = root * fma(two, far_odd, near_odd);
  m[2 * stride] = fma(two, far, half * near);
  m[3 * stride] = fma(root, fma(splat(4.0f), far_odd, half * near_odd), m5);
}

/// Where a tile lies in its image.
struct WinogradTile {
  int64_t n, row, column;
};

inline WinogradTile winograd_tile(const Winograd& w, int64_t index) {
  const int64_t wide = w.tiles_wide(), high = w.tiles_high();
  return {index / wide / high, index / wide % high * kWinogradOut, index % wide * kWinogradOut};
}

/// Transforms the input of tiles [begin, end) of a chunk.
inline void winograd_input(const Winograd& w, const WinogradChunk& chunk, int64_t begin, int64_t end) {
  for (int64_t t = begin; t < end; ++t) {
    const WinogradTile tile = winograd_tile(w, chunk.first + t);
    const int64_t top = tile.row - w.pad_h, left = tile.column - w.pad_w;
    const float* pixel[kWinogradPoints];  // null outside the image
    for (int64_t i = 0; i < kWinogradIn; ++i) {
      for (int64_t j = 0; j < kWinogradIn; ++j) {
        const int64_t h = top + i, c = left + j;
        const bool inside = h >= 0 && h < w.height && c >= 0 && c < w.width;
        pixel[i * kWinogradIn + j] = inside ? w.x + ((tile.n * w.height + h) * w.width + c) * w.pitch : nullptr;
      }
    }
    for (int64_t c = 0; c < w.channels; c += kLanes) {
      const int64_t rest = w.channels - c;
      Vec d[kWinogradPoints];
      for (int64_t p = 0; p < kWinogradPoints; ++p) d[p] = pixel[p] ? load_up_to(pixel[p] + c, rest) : Vec{};
#pragma GCC unroll 6
      for (int64_t j = 0; j < kWinogradIn; ++j) input_transform(d + j, kWinogradIn);
#pragma GCC unroll 6
      for (int64_t i = 0; i < kWinogradIn; ++i) input_transform(d + i * kWinogradIn, 1);
      float* to = chunk.input + t * w.channels + c;
      for (int64_t p = 0; p < kWinogradPoints; ++p) store_up_to(to + p * chunk.count * w.channels, d[p], rest);
    }
  }
}

/// Products [begin, end) of `w.products()`: one panel of output channels at one point, over all tiles of the chunk.
inline void winograd_products(const Winograd& w, const WinogradChunk& chunk, int64_t begin, int64_t end) {
  const int64_t panels = w.panels();
  const bool streams = w.products() * w.channels * w.shape.panel > kGemmCached;
  const int64_t count = (chunk.count + w.shape.rows - 1) / w.shape.rows;
  const GemmBlocks blocks(chunk.count, count);
  for (int64_t item = begin; item < end; ++item) {
    const int64_t point = item / panels, column = item % panels * w.shape.panel;
    const int64_t columns = w.out_channels - column < w.shape.panel ? w.out_channels - column : w.shape.panel;
    const float* weights = w.packed + item * w.channels * w.shape.panel;
    const float* next = streams && item + 1 < end ? weights + w.channels * w.shape.panel : nullptr;
    for (int64_t i = 0; i < count; ++i) {
      const bool brings = next && i < w.shape.panel / kLanes;
      const int64_t row = blocks.begin(i), rows = blocks.size(i);
      pick_tile<ProductTile>(rows,
                             columns)({.a = chunk.input + (point * chunk.count + row) * w.channels,
                                       .a_stride = w.channels,
                                       .b = weights,
                                       .panel = w.shape.panel,
                                       .next = brings ? next + i * w.channels * kLanes : nullptr,
                                       .inner = w.channels,
                                       .bias = nullptr,
                                       .residual = nullptr,
                                       .out = chunk.product + (point * chunk.count + row) * w.out_channels + column,
                                       .out_stride = w.out_channels,
                                       .columns = columns,
                                       .first = true,
                                       .clamp = nullptr});
    }
  }
}

/// Transforms the products of tiles [begin, end) of a chunk back, and stores what lies inside the result.
inline void winograd_output(const Winograd& w, const WinogradChunk& chunk, int64_t begin, int64_t end) {
  const bool bounded = w.activation.kind == ActivationKind::kClamp;
  const Vec lo = splat(w.activation.a), hi = splat(w.activation.b);
  for (int64_t t = begin; t < end; ++t) {
    const WinogradTile tile = winograd_tile(w, chunk.first + t);
    const int64_t rows = w.out_height - tile.row < kWinogradOut ? w.out_height - tile.row : kWinogradOut;
    const int64_t columns = w.out_width - tile.column < kWinogradOut ? w.out_width - tile.column : kWinogradOut;
    for (int64_t c = 0; c < w.out_channels; c += kLanes) {
      const int64_t rest = w.out_channels - c;
      const float* from = chunk.product + t * w.out_channels + c;
      Vec m[kWinogradPoints];
      for (int64_t p = 0; p < kWinogradPoints; ++p) m[p] = load_up_to(from + p * chunk.count * w.out_channels, rest);
#pragma GCC unroll 6
      for (int64_t j = 0; j < kWinogradIn; ++j) output_transform(m + j, kWinogradIn);
#pragma GCC unroll 4
      for (int64_t i = 0; i < kWinogradOut; ++i) output_transform(m + i * kWinogradIn, 1);
      const Vec bias = w.bias ? load_up_to(w.bias + c, rest) : Vec{};
      for (int64_t i = 0; i < rows; ++i) {
        const int64_t at = ((tile.n * w.out_height + tile.row + i) * w.out_width + tile.column) * w.out_channels + c;
        for (int64_t j = 0; j < columns; ++j) {
          Vec v = m[i * kWinogradIn + j] + bias;
          if (w.residual) v += load_up_to(w.residual + at + j * w.out_channels, rest);
          if (bounded) v = clamp(v, lo, hi);
          store_up_to(w.out + at + j * w.out_channels, v, rest);
        }
        if (!bounded)
          activate_columns(w.out + at, columns, w.out_channels, rest < kLanes ? rest : kLanes, w.activation);
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
