// Transposed convolution, channels-last: the products of a band's pixels with the weight, a window for each pixel, and
// then each output row as the sum of the windows that reach it, in the order of the image's rows and columns.
#pragma once

#include "../transposed-conv.h"
#include "activate.h"
#include "gemm.h"

namespace pt2::PT2_ISA {

inline void add_vectors(const float* from, int64_t count, float* to) {
  each_vector(count, [&](int64_t i, int64_t left) {
    store_up_to(to + i, load_up_to(to + i, left) + load_up_to(from + i, left), left);
  });
}

/// A block of output channels, and the products of a band of the image with its weights.
struct ProductBlock {
  ImageRows rows;
  const float* products;  // rows, width, kernel_h, kernel_w, block_outputs
  int64_t channel;        // the first of the block
};

/// Adds one row of windows: `from` is the kernel's row in the window of the first pixel.
inline void add_windows(const TransposedConv& t, const float* from, float* row) {
  const int64_t outputs = t.block_outputs(), window = t.block_columns();
  // Channels of neighboring outputs lie one after the other in both.
  const bool joined = outputs == t.out_channels && t.dilation_w == 1;
  for (int64_t j = 0, left = -t.pad_w; j < t.width && left < t.out_width; ++j, left += t.stride_w, from += window) {
    const int64_t first = left < 0 ? (-left + t.dilation_w - 1) / t.dilation_w : 0;
    const int64_t past = std::min(t.kernel_w, (t.out_width - left + t.dilation_w - 1) / t.dilation_w);
    if (joined) {
      if (first < past) add_vectors(from + first * outputs, (past - first) * outputs, row + (left + first) * outputs);
      continue;
    }
    for (int64_t k = first; k < past; ++k)
      add_vectors(from + k * outputs, outputs, row + (left + k * t.dilation_w) * t.out_channels);
  }
}

/// Applies the activation to a block of channels of a row.
inline void activate_row(const TransposedConv& t, float* row) {
  const int64_t outputs = t.block_outputs();
  if (outputs == t.out_channels) return activate_span(row, t.out_width * outputs, t.activation);
  each_vector(outputs, [&](int64_t c, int64_t left) {
    activate_columns(row + c, t.out_width, t.out_channels, left < kLanes ? left : kLanes, t.activation);
  });
}

/// Sums up output row `at` of one image, whose block begins at `row`.
inline void sum_row(const TransposedConv& t, const ProductBlock& block, int64_t at, float* row) {
  const int64_t outputs = t.block_outputs();
  for (int64_t w = 0; w < t.out_width; ++w) {
    float* pixel = row + w * t.out_channels;
    if (t.bias) {
      copy_vectors(t.bias + block.channel, outputs, pixel);
    } else {
      std::memset(pixel, 0, static_cast<size_t>(outputs) * sizeof(float));
    }
  }
  const ImageRows under = t.rows_under({at, at + 1});
  for (int64_t i = under.begin; i < under.end; ++i) {
    const int64_t distance = at + t.pad_h - i * t.stride_h;
    if (distance % t.dilation_h != 0) continue;
    const int64_t line = (i - block.rows.begin) * t.width * t.kernel_h + distance / t.dilation_h;
    add_windows(t, block.products + line * t.kernel_w * outputs, row);
  }
  activate_row(t, row);
}

/// Work items [begin, end) of `t.items()`; `scratch` holds the products of a band, and rows that are copied for
/// them.
inline void transposed_conv(const TransposedConv& t, int64_t begin, int64_t end, float* scratch) {
  for (int64_t item = begin; item < end; ++item) {
    const int64_t part = item % t.parts, place = item / t.parts;
    const int64_t n = place / t.bands;
    const ImageRows rows = t.band_rows(place % t.bands), under = t.rows_under(rows);
    Gemm g = t.product(under);
    g.a += n * t.height * t.width * t.pitch;
    g.out = scratch;
    // Rows that were copied for one block are there for the next.
    GemmCopy copy{g.scratch_floats() > 0 ? scratch + t.product_floats : nullptr};
    for (int64_t b = t.blocks * part / t.parts; b < t.blocks * (part + 1) / t.parts; ++b) {
      g.packed = t.packed + b * t.block_floats();
      if (g.rows > 0) gemm(g, 0, g.tiles(), copy);
      const ProductBlock block{under, scratch, b * t.block_outputs()};
      for (int64_t at = rows.begin; at < rows.end; ++at)
        sum_row(t, block, at, t.out + (n * t.out_height + at) * t.out_width * t.out_channels + block.channel);
    }
  }
}

}  // namespace pt2::PT2_ISA
