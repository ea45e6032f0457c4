// Transposed convolution, channels-last: the products of a band's pixels with the weight, a window for each pixel, and
// then each slice of the result as the sum of the windows that reach it, in the order of the image's pixels.
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

/// Adds the windows of a row of pixels to a row of results: `from` is the kernel's row in the window of the first
/// pixel.
inline void add_windows(const TransposedConv& t, const float* from, float* row) {
  const TransposedSide& side = t.columns;
  const int64_t outputs = t.block_outputs(), window = t.block_columns();
  // Channels of neighboring results lie one after the other in both.
  const bool joined = outputs == t.out_channels && side.dilation == 1;
  for (int64_t i = 0; i < side.size; ++i, from += window) {
    const int64_t left = side.start(i);
    const Range steps = side.steps(left);
    if (joined) {
      if (steps.count() > 0)
        add_vectors(from + steps.begin * outputs, steps.count() * outputs, row + (left + steps.begin) * outputs);
      continue;
    }
    for (int64_t k = steps.begin; k < steps.end; ++k)
      add_vectors(from + k * outputs, outputs, row + (left + k * side.dilation) * t.out_channels);
  }
}

/// Adds the windows of a slice of pixels to a slice of results: `from` is the kernel's slice in the window of the
/// first.
inline void add_slice(const TransposedConv& t, const float* from, float* slice) {
  const TransposedSide& side = t.rows;
  for (int64_t i = 0; i < side.size; ++i, from += t.columns.size * t.block_columns()) {
    const int64_t top = side.start(i);
    const Range steps = side.steps(top);
    for (int64_t k = steps.begin; k < steps.end; ++k) {
      float* row = slice + (top + k * side.dilation) * t.columns.out_size * t.out_channels;
      add_windows(t, from + k * t.columns.kernel * t.block_outputs(), row);
    }
  }
}

/// Applies the activation to a block of channels of a slice.
inline void activate_slice(const TransposedConv& t, float* slice) {
  const int64_t outputs = t.block_outputs(), results = t.results_of_slice();
  if (outputs == t.out_channels) return activate_span(slice, results * outputs, t.activation);
  each_vector(outputs, [&](int64_t c, int64_t left) {
    activate_columns(slice + c, results, t.out_channels, left < kLanes ? left : kLanes, t.activation);
  });
}

/// Sums up slice `at` of one image's result for a block of channels from the products of slices `under`. The block
/// begins at `slice`, its bias at `bias` if there is one.
inline void sum_slice(const TransposedConv& t, Range under, const float* products, int64_t at, const float* bias,
                      float* slice) {
  const TransposedSide& side = t.slices;
  const int64_t outputs = t.block_outputs();
  for (int64_t i = 0; i < t.results_of_slice(); ++i) {
    float* pixel = slice + i * t.out_channels;
    if (bias) {
      copy_vectors(bias, outputs, pixel);
    } else {
      std::memset(pixel, 0, static_cast<size_t>(outputs) * sizeof(float));
    }
  }
  const Range reach = side.under({at, at + 1});
  for (int64_t i = reach.begin; i < reach.end; ++i) {
    const int64_t distance = at - side.start(i);
    if (distance % side.dilation != 0) continue;
    const int64_t step = distance / side.dilation * t.rows.kernel * t.columns.kernel * outputs;
    add_slice(t, products + (i - under.begin) * t.pixels_of_slice() * t.block_columns() + step, slice);
  }
  activate_slice(t, slice);
}

/// Work items [begin, end) of `t.items()`; `scratch` holds the products of a band, and pixels that are copied for them.
inline void transposed_conv(const TransposedConv& t, int64_t begin, int64_t end, float* scratch) {
  for (int64_t item = begin; item < end; ++item) {
    const int64_t part = item % t.parts, place = item / t.parts;
    const int64_t n = place / t.bands;
    const Range band = t.band(place % t.bands), under = t.slices.under(band);
    Gemm g = t.product(under);
    g.a += n * t.slices.size * t.pixels_of_slice() * t.pitch;
    g.out = scratch;
    // Pixels that were copied for one block are there for the next.
    GemmCopy copy{g.scratch_floats() > 0 ? scratch + t.product_floats : nullptr};
    for (int64_t b = t.blocks * part / t.parts; b < t.blocks * (part + 1) / t.parts; ++b) {
      const int64_t channel = b * t.block_outputs();
      g.packed = t.packed + b * t.block_floats();
      if (g.rows > 0) gemm(g, 0, g.tiles(), copy);
      for (int64_t at = band.begin; at < band.end; ++at) {
        float* slice = t.out + (n * t.slices.out_size + at) * t.results_of_slice() * t.out_channels + channel;
        sum_slice(t, under, scratch, at, t.bias ? t.bias + channel : nullptr, slice);
      }
    }
  }
}

}  // namespace pt2::PT2_ISA
