// Convolution, channels-last: each tile of output columns is a product as in `gemm.h`, whose left side is read from a
// padded copy of a band of the image, a run of numbers for each row of the kernel. A tile of few rows takes pixels one
// after the other, from one row of the image to the next, so that narrow images fill it too.
#pragma once

#include "../direct-conv.h"
#include "../simd/interleave.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

/// The runs of a tile: `lines` rows of the kernel, `taps` runs in each.
struct ConvRuns {
  int64_t lines, line_stride, taps, tap_stride, length;
};

/// A tile of more rows than `kMostAddresses` reads pixels of one row of the image.
template <int R, int V>
struct ConvTile {
  static void tile(const GemmTile& t, const ConvRuns& runs, const float* const* pixels) {
    Vec acc[R][V];
    start_tile(t, acc);
    if (t.next) {
      walk<true>(t, runs, pixels, acc);
    } else {
      walk<false>(t, runs, pixels, acc);
    }
    store_tile(t, acc);
  }

 private:
  template <bool kBrings>
  [[gnu::always_inline]] static void walk(const GemmTile& t, const ConvRuns& runs, const float* const* pixels,
                                          Vec (&acc)[R][V]) {
    TileWeights weights{t.b, t.panel, t.next};
    FewRows<R> few;
    if constexpr (R <= kMostAddresses) {
      for (int i = 0; i < R; ++i) few.at[i] = pixels[i];
    }
    for (int64_t line = 0; line < runs.lines; ++line) {
      for (int64_t tap = 0; tap < runs.taps; ++tap) {
        const int64_t start = line * runs.line_stride + tap * runs.tap_stride;
        if constexpr (R <= kMostAddresses) {
          add_products<kBrings>(start, start + runs.length, few, weights, acc);
        } else {
          ManyRows<R> many(t.a + start, t.a_stride);
          add_products<kBrings>(start, start + runs.length, many, weights, acc);
        }
      }
    }
  }
};

/// Copies a row of pixels whose three channels lie apart.
inline void interleave(const DirectConv& d, const float* from, float* to) {
  const int64_t pitch = d.pitch;
  int64_t w = 0;
  if (d.x_column == 1 && pitch == 3) {
    for (; w + kLanes <= d.width; w += kLanes) {
      const float* pixel = from + w;
      store_interleaved(to + w * 3, load(pixel), load(pixel + d.x_channel), load(pixel + 2 * d.x_channel));
    }
  }
  for (; w < d.width; ++w) {
    for (int64_t c = 0; c < 3; ++c) to[w * pitch + c] = from[c * d.x_channel + w * d.x_column];
  }
}

/// Channels [first, first + count) of an image.
struct ConvChannels {
  int64_t first, count;
};

/// Copies channels of one row of an image to pixels of the padded copy.
inline void copy_pixels(const DirectConv& d, ConvChannels channels, const float* from, float* to) {
  const int64_t pitch = d.pitch, count = channels.count;
  const bool is_last = d.x_channel == 1 || d.channels == 1;
  from += channels.first * d.x_channel;
  to += channels.first;
  if (is_last && d.x_column == count && pitch == count) {
    std::memcpy(to, from, static_cast<size_t>(d.width * count) * sizeof(float));
  } else if (count == 3) {
    interleave(d, from, to);
  } else if (is_last) {
    for (int64_t w = 0; w < d.width; ++w, to += pitch, from += d.x_column) {
      copy_vectors(from, count, to);
    }
  } else {
    for (int64_t c = 0; c < count; ++c) {
      for (int64_t w = 0; w < d.width; ++w) to[w * pitch + c] = from[c * d.x_channel + w * d.x_column];
    }
  }
}

/// Copies channels of rows [begin, end) of the padded image. Its padding on the left and right is zero already.
inline void copy_rows(const DirectConv& d, ConvChannels channels, const float* x, int64_t begin, int64_t end,
                      float* padded) {
  for (int64_t row = begin; row < end; ++row, padded += d.padded_width * d.pitch) {
    const int64_t h = row - d.pad_top;
    float* to = padded + d.pad_left * d.pitch;
    if (h >= 0 && h < d.height) {
      copy_pixels(d, channels, x + h * d.x_row, to);
    } else {
      std::memset(to, 0, static_cast<size_t>(d.width * d.pitch) * sizeof(float));
    }
  }
}

/// The channels that panels [first, last) read.
inline ConvChannels channels_under(const DirectConv& d, int64_t first, int64_t last) {
  const int64_t begin = first / d.group_panels(), end = (last + d.group_panels() - 1) / d.group_panels();
  return {begin * d.group_channels(), (end - begin) * d.group_channels()};
}

/// A band of output rows of one image, or some columns of one row, and the pixels under it.
struct ConvBand {
  int64_t image, begin, end;
  const float* pixels;  // those under the first row of the kernel that counts
  int64_t row_stride;
  int64_t first_column, columns;
  int64_t first_line, lines;  // rows of the kernel that count
};

/// Columns of a panel of a convolution, whose weights seldom stay in the first-level cache: the more rows a tile has,
/// the less often it reads them. In images of less than `kNarrow` columns tiles have fewer.
inline int64_t conv_panel(int64_t columns, int64_t width) {
  constexpr int kWide = kTileVectors < 2 ? kTileVectors : 2, kLow = kTileVectors < 3 ? kTileVectors : 3;
  return shape_of(columns, width < kNarrow ? kLow : kWide).panel;
}

/// Rows of a tile at most. In a narrow image one that takes pixels of one row of it would have few.
inline int64_t conv_rows(const DirectConv& d) {
  const int64_t rows = kTileRows[d.panel / kLanes - 1];
  return d.out_width < kNarrow && rows > kMostAddresses ? kMostAddresses : rows;
}

/// An output pixel of a band.
struct ConvPixel {
  int64_t row, column;
};

/// Finds the pixels under the first weight for `rows` outputs; where a tile has more rows than addresses, the first.
inline void find_pixels(const DirectConv& d, const ConvBand& band, const float* origin, ConvPixel at, int64_t rows,
                        const float* (&from)[kMostAddresses]) {
  const int64_t column_stride = d.stride_w * d.pitch, row_stride = d.stride_h * band.row_stride;
  const float* row = origin + at.row * row_stride;
  for (int64_t r = 0, count = rows > kMostAddresses ? 1 : rows; r < count; ++r, ++at.column) {
    if (at.column == band.columns) {
      at.column = 0;
      row += row_stride;
    }
    from[r] = row + at.column * column_stride;
  }
}

/// Panels [first, last) of a band.
inline void convolve_band(const DirectConv& d, const ConvBand& band, int64_t first_panel, int64_t last_panel) {
  const int64_t pitch = d.pitch;
  const int64_t channels = d.group_channels(), outputs = d.group_outputs();
  const bool joined = d.dilation_w == 1 && pitch == channels;
  const int64_t line = d.kernel_w * channels, inner = d.kernel_h * line;
  // A panel of more weights than stay in the second-level cache is read in passes, one for each row of the kernel.
  const int64_t passes = inner * d.panel > kGemmCached && band.lines > 0 ? band.lines : 1;
  const int64_t length = band.lines * line / passes;
  const bool streams = d.panels() * inner * d.panel > kGemmCached;
  const auto weights_of = [&](int64_t item) {
    return d.packed + (item / passes * inner + band.first_line * line + item % passes * length) * d.panel;
  };
  const ConvRuns runs{
      .lines = band.lines / passes,
      .line_stride = d.dilation_h * band.row_stride,
      .taps = joined ? 1 : d.kernel_w,
      .tap_stride = d.dilation_w * pitch,
      .length = joined ? d.kernel_w * channels : channels,
  };
  // Tiles share the pixels of the band, or those of each row.
  const int64_t pixels = (band.end - band.begin) * band.columns;
  const int64_t most = conv_rows(d);
  const int64_t stretch = most <= kMostAddresses ? pixels : band.columns;
  const int64_t per_stretch = (stretch + most - 1) / most;
  const int64_t tiles = pixels / stretch * per_stretch;
  const GemmBlocks blocks(stretch, per_stretch);
  const int64_t vectors = d.panel / kLanes;
  const bool clamps = d.activation.kind == ActivationKind::kClamp;
  for (int64_t item = first_panel * passes; item < last_panel * passes; ++item) {
    const int64_t panel = item / passes, pass = item % passes;
    const bool last = pass + 1 == passes;
    const int64_t group = panel / d.group_panels(), inside = panel % d.group_panels() * d.panel;
    const int64_t columns = outputs - inside < d.panel ? outputs - inside : d.panel;
    const int64_t column = group * outputs + inside;
    const float* origin = band.pixels + group * channels + pass * runs.line_stride;
    const float* weights = weights_of(item);
    const float* next = streams && item + 1 < last_panel * passes ? weights_of(item + 1) : nullptr;
    ConvPixel pixel{0, 0};
    int64_t first = 0;
    for (int64_t i = 0, block = 0; i < tiles; ++i, block = block + 1 == per_stretch ? 0 : block + 1) {
      const int64_t rows = blocks.size(block);
      const float* from[kMostAddresses];
      find_pixels(d, band, origin, pixel, rows, from);
      const int64_t row = band.image * d.out_height + band.begin;
      const int64_t at = (row * d.out_width + band.first_column + first) * d.out_channels + column;
      const GemmTile tile{
          .a = from[0],
          .a_stride = d.stride_w * pitch,
          .b = weights,
          .panel = d.panel,
          .next = next && i < vectors ? next + i * length * kLanes : nullptr,
          .inner = length,
          .bias = d.bias ? d.bias + column : nullptr,
          .residual = last && d.residual ? d.residual + at : nullptr,
          .out = d.out + at,
          .out_stride = d.out_channels,
          .columns = columns,
          .first = pass == 0,
          .clamp = last && clamps ? &d.activation : nullptr,
      };
      pick_tile<ConvTile>(rows, columns)(tile, runs, from);
      first += rows;
      for (pixel.column += rows; pixel.column >= band.columns; pixel.column -= band.columns) ++pixel.row;
      if (clamps || !last) continue;
      for (int64_t c = 0; c < columns; c += kLanes) {
        activate_columns(tile.out + c, rows, d.out_channels, columns - c < kLanes ? columns - c : kLanes, d.activation);
      }
    }
  }
}

/// A stretch of one output row, and the pixels under it where they lie.
inline ConvBand stretch_of_row(const DirectConv& d, int64_t image, int64_t row, int64_t stretch) {
  const int64_t top = row * d.stride_h - d.pad_top;
  const int64_t first = top < 0 ? (-top + d.dilation_h - 1) / d.dilation_h : 0;
  const int64_t inside = top < d.height ? (d.height - top + d.dilation_h - 1) / d.dilation_h : 0;
  const int64_t past = inside < d.kernel_h ? inside : d.kernel_h;
  const int64_t left = d.out_width * stretch / d.stretches, right = d.out_width * (stretch + 1) / d.stretches;
  const int64_t pixel = image * d.x_image + (top + first * d.dilation_h) * d.x_row + left * d.stride_w * d.x_column;
  return {
      .image = image,
      .begin = row,
      .end = row + 1,
      .pixels = first < past ? d.x + pixel : d.x,
      .row_stride = d.x_row,
      .first_column = left,
      .columns = right - left,
      .first_line = first < past ? first : 0,
      .lines = first < past ? past - first : 0,
  };
}

/// Work items [begin, end) of `d.items()`; `scratch` holds `d.scratch_floats()`, all zero before the first call.
inline void direct_conv(const DirectConv& d, int64_t begin, int64_t end, float* scratch) {
  int64_t copied = -1;
  for (int64_t item = begin; item < end; ++item) {
    const int64_t part = item % d.parts, place = item / d.parts;
    const int64_t first_panel = d.panels() * part / d.parts, last_panel = d.panels() * (part + 1) / d.parts;
    if (d.row_by_row()) {
      const int64_t row = place / d.stretches;
      const ConvBand stretch = stretch_of_row(d, row / d.out_height, row % d.out_height, place % d.stretches);
      if (stretch.columns > 0) convolve_band(d, stretch, first_panel, last_panel);
      continue;
    }
    const int64_t n = place / d.bands, band = place % d.bands;
    const int64_t first = d.out_height * band / d.bands, last = d.out_height * (band + 1) / d.bands;
    if (first == last) continue;
    const int64_t top = first * d.stride_h;
    const float* x = d.x + n * d.x_image;
    const bool in_place = d.in_place();
    // Parts of one group read the same channels.
    if (!in_place && (copied != place || d.groups > 1)) {
      copy_rows(d, channels_under(d, first_panel, last_panel), x, top, top + d.rows_under(last - first), scratch);
    }
    copied = place;
    const ConvBand rows{
        .image = n,
        .begin = first,
        .end = last,
        .pixels = in_place ? x + top * d.x_row : scratch,
        .row_stride = in_place ? d.x_row : d.padded_width * d.pitch,
        .first_column = 0,
        .columns = d.out_width,
        .first_line = 0,
        .lines = d.kernel_h,
    };
    convolve_band(d, rows, first_panel, last_panel);
  }
}

}  // namespace pt2::PT2_ISA
