// Convolution of a small image, channels-last: each tile of output columns is a product as in `gemm.h`, whose left side
// is read from a padded copy of the image, a run of numbers for each row of the kernel.
#pragma once

#include "../direct-conv.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// The runs of a tile: `lines` rows of the kernel, `taps` runs in each.
struct ConvRuns {
  int64_t lines, line_stride, taps, tap_stride, length;
};

template <int R, int V>
void conv_tile(const GemmTile& t, const ConvRuns& runs) {
  Vec acc[R][V];
  start_tile(t, acc);
  const float* b = t.b;
  for (int64_t line = 0; line < runs.lines; ++line) {
    for (int64_t tap = 0; tap < runs.taps; ++tap) {
      const float* a = t.a + line * runs.line_stride + tap * runs.tap_stride;
      for (int64_t k = 0; k < runs.length; ++k, b += kPanel, ++a) {
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
    }
  }
  store_tile(t, acc);
}

using ConvTileFunction = void (*)(const GemmTile&, const ConvRuns&);

template <int V, int... R>
inline ConvTileFunction pick_conv_rows(int64_t rows, std::integer_sequence<int, R...>) {
  static constexpr ConvTileFunction kTiles[] = {conv_tile<R + 1, V>...};
  return kTiles[rows - 1];
}

inline ConvTileFunction pick_conv_tile(int64_t rows, int64_t columns) {
  const auto all = std::make_integer_sequence<int, kGemmRows>{};
  return columns > kLanes ? pick_conv_rows<2>(rows, all) : pick_conv_rows<1>(rows, all);
}

/// Copies an image between its padding, which is zero already.
inline void copy_image(const DirectConv& d, const float* x, float* padded) {
  for (int64_t h = 0; h < d.height; ++h) {
    float* to = padded + ((h + d.pad_top) * d.padded_width + d.pad_left) * d.channels;
    const float* from = x + h * d.x_row;
    if (d.x_column == d.channels && (d.x_channel == 1 || d.channels == 1)) {
      std::memcpy(to, from, static_cast<size_t>(d.width * d.channels) * sizeof(float));
    } else if (d.x_channel == 1 || d.channels == 1) {
      for (int64_t w = 0; w < d.width; ++w, to += d.channels, from += d.x_column) {
        for (int64_t c = 0; c < d.channels; ++c) to[c] = from[c];
      }
    } else {
      for (int64_t c = 0; c < d.channels; ++c) {
        for (int64_t w = 0; w < d.width; ++w) to[w * d.channels + c] = from[c * d.x_channel + w * d.x_column];
      }
    }
  }
}

/// One image, whose pixels lie `pitch` floats a row apart at `pixels`.
inline void convolve_image(const DirectConv& d, int64_t n, const float* pixels, int64_t pitch) {
  const bool joined = d.dilation_w == 1;
  const ConvRuns runs{
      .lines = d.kernel_h,
      .line_stride = d.dilation_h * pitch,
      .taps = joined ? 1 : d.kernel_w,
      .tap_stride = d.dilation_w * d.channels,
      .length = joined ? d.kernel_w * d.channels : d.channels,
  };
  const int64_t inner = d.kernel_h * d.kernel_w * d.channels;
  const int64_t blocks = (d.out_width + d.block_rows - 1) / d.block_rows;
  const bool clamps = d.activation.kind == ActivationKind::kClamp;
  for (int64_t column = 0, panel = 0; column < d.out_channels; column += kPanel, ++panel) {
    const int64_t columns = d.out_channels - column < kPanel ? d.out_channels - column : kPanel;
    for (int64_t oh = 0; oh < d.out_height; ++oh) {
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = d.out_width * block / blocks;
        const int64_t rows = d.out_width * (block + 1) / blocks - first;
        const int64_t at = ((n * d.out_height + oh) * d.out_width + first) * d.out_channels + column;
        const GemmTile tile{
            .a = pixels + oh * d.stride_h * pitch + first * d.stride_w * d.channels,
            .a_stride = d.stride_w * d.channels,
            .b = d.packed + panel * inner * kPanel,
            .inner = inner,
            .bias = d.bias ? d.bias + column : nullptr,
            .residual = d.residual ? d.residual + at : nullptr,
            .out = d.out + at,
            .out_stride = d.out_channels,
            .columns = columns,
            .first = true,
            .clamp = clamps ? &d.activation : nullptr,
        };
        pick_conv_tile(rows, columns)(tile, runs);
        if (clamps) continue;
        for (int64_t c = 0; c < columns; c += kLanes) {
          activate_columns(tile.out + c, rows, d.out_channels, columns - c < kLanes ? columns - c : kLanes,
                           d.activation);
        }
      }
    }
  }
}

/// Images [begin, end); `scratch` holds `d.scratch_floats()`, all zero.
inline void direct_conv(const DirectConv& d, int64_t begin, int64_t end, float* scratch) {
  for (int64_t n = begin; n < end; ++n) {
    const float* x = d.x + n * d.x_image;
    if (!d.in_place()) copy_image(d, x, scratch);
    convolve_image(d, n, d.in_place() ? x : scratch, d.in_place() ? d.x_row : d.padded_width * d.channels);
  }
}

}  // namespace pt2::PT2_ISA
