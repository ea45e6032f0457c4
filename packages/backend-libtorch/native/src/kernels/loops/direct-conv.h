// Convolution, channels-last: each tile of output columns is a product as in `gemm.h`, whose left side is read from a
// padded copy of a band of the image, a run of numbers for each row of the kernel.
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

/// Copies a row of pixels, whose channels lie apart, to pixels of C channels each.
template <int C>
inline void interleave(const DirectConv& d, const float* from, float* to) {
  const int64_t pitch = d.pitch();
  for (int64_t w = 0; w < d.width; ++w, from += d.x_column, to += pitch) {
#pragma GCC unroll 4
    for (int c = 0; c < C; ++c) to[c] = from[c * d.x_channel];
  }
}

/// Copies one row of an image to pixels of the padded copy.
inline void copy_pixels(const DirectConv& d, const float* from, float* to) {
  const int64_t pitch = d.pitch();
  const bool is_last = d.x_channel == 1 || d.channels == 1;
  if (is_last && d.x_column == d.channels && pitch == d.channels) {
    std::memcpy(to, from, static_cast<size_t>(d.width * d.channels) * sizeof(float));
  } else if (d.channels == 3) {
    interleave<3>(d, from, to);
  } else if (is_last) {
    for (int64_t w = 0; w < d.width; ++w, to += pitch, from += d.x_column) {
      each_vector(d.channels, [&](int64_t c, int64_t left) { store_up_to(to + c, load_up_to(from + c, left), left); });
    }
  } else {
    for (int64_t c = 0; c < d.channels; ++c) {
      for (int64_t w = 0; w < d.width; ++w) to[w * pitch + c] = from[c * d.x_channel + w * d.x_column];
    }
  }
}

/// Copies rows [begin, end) of the padded image. Its padding on the left and right is zero already.
inline void copy_rows(const DirectConv& d, const float* x, int64_t begin, int64_t end, float* padded) {
  for (int64_t row = begin; row < end; ++row, padded += d.padded_width * d.pitch()) {
    const int64_t h = row - d.pad_top;
    float* to = padded + d.pad_left * d.pitch();
    if (h >= 0 && h < d.height) {
      copy_pixels(d, x + h * d.x_row, to);
    } else {
      std::memset(to, 0, static_cast<size_t>(d.width * d.pitch()) * sizeof(float));
    }
  }
}

/// A band of output rows of one image, and the pixels under it.
struct ConvBand {
  int64_t image, begin, end;
  const float* pixels;
  int64_t row_stride;
};

/// Panels [first, last) of a band.
inline void convolve_band(const DirectConv& d, const ConvBand& band, int64_t first_panel, int64_t last_panel) {
  const int64_t pitch = d.pitch();
  const int64_t channels = d.group_channels(), outputs = d.group_outputs();
  const bool joined = d.dilation_w == 1 && pitch == channels;
  const ConvRuns runs{
      .lines = d.kernel_h,
      .line_stride = d.dilation_h * band.row_stride,
      .taps = joined ? 1 : d.kernel_w,
      .tap_stride = d.dilation_w * pitch,
      .length = joined ? d.kernel_w * channels : channels,
  };
  const int64_t inner = d.kernel_h * d.kernel_w * channels;
  const int64_t blocks = (d.out_width + d.block_rows - 1) / d.block_rows;
  const bool clamps = d.activation.kind == ActivationKind::kClamp;
  for (int64_t panel = first_panel; panel < last_panel; ++panel) {
    const int64_t group = panel / d.group_panels(), inside = panel % d.group_panels() * kPanel;
    const int64_t columns = outputs - inside < kPanel ? outputs - inside : kPanel;
    const int64_t column = group * outputs + inside;
    const float* pixels = band.pixels + group * channels;
    for (int64_t oh = band.begin; oh < band.end; ++oh) {
      for (int64_t block = 0; block < blocks; ++block) {
        const int64_t first = d.out_width * block / blocks;
        const int64_t rows = d.out_width * (block + 1) / blocks - first;
        const int64_t at = ((band.image * d.out_height + oh) * d.out_width + first) * d.out_channels + column;
        const GemmTile tile{
            .a = pixels + (oh - band.begin) * d.stride_h * band.row_stride + first * d.stride_w * pitch,
            .a_stride = d.stride_w * pitch,
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

/// Work items [begin, end) of `d.items()`; `scratch` holds `d.scratch_floats()`, all zero before the first call.
inline void direct_conv(const DirectConv& d, int64_t begin, int64_t end, float* scratch) {
  int64_t copied = -1;
  for (int64_t item = begin; item < end; ++item) {
    const int64_t part = item % d.parts, place = item / d.parts;
    const int64_t n = place / d.bands, band = place % d.bands;
    const int64_t first = d.out_height * band / d.bands, last = d.out_height * (band + 1) / d.bands;
    if (first == last) continue;
    const int64_t top = first * d.stride_h;
    const float* x = d.x + n * d.x_image;
    const bool in_place = d.in_place();
    if (!in_place && copied != place) copy_rows(d, x, top, top + d.rows_under(last - first), scratch);
    copied = place;
    const ConvBand rows{
        .image = n,
        .begin = first,
        .end = last,
        .pixels = in_place ? x + top * d.x_row : scratch,
        .row_stride = in_place ? d.x_row : d.padded_width * d.pitch(),
    };
    convolve_band(d, rows, d.panels() * part / d.parts, d.panels() * (part + 1) / d.parts);
  }
}

}  // namespace pt2::PT2_ISA
