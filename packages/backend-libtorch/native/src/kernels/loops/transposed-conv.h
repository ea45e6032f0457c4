// Transposed convolution, channels-last: the products of a band's pixels with the weight, a window for each pixel, and
// then their sums where windows overlap, in the order of the image's pixels.
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
  const bool joined = t.joins_steps(side);
  for (int64_t i = 0; i < side.size; ++i, from += window) {
    const int64_t left = side.start(i);
    const Range steps = side.steps(left, side.results());
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
    const Range steps = side.steps(top, side.results());
    for (int64_t k = steps.begin; k < steps.end; ++k) {
      float* row = slice + (top + k * side.dilation) * t.columns.out_size * t.out_channels;
      add_windows(t, from + k * t.columns.kernel * t.block_outputs(), row);
    }
  }
}

/// Adds the windows of slices `under` a band: `slices` is the first of its results.
inline void add_slices(const TransposedConv& t, Range band, Range under, const float* products, float* slices) {
  const TransposedSide& side = t.slices;
  const int64_t outputs = t.block_outputs(), window = t.block_columns();
  const int64_t step = t.rows.kernel * t.columns.kernel * outputs, floats = t.results_of_slice() * t.out_channels;
  const bool joined = t.pixels_of_slice() == 1 && t.results_of_slice() == 1 && t.joins_steps(side);
  for (int64_t i = under.begin; i < under.end; ++i, products += t.pixels_of_slice() * window) {
    const int64_t top = side.start(i) - band.begin;
    const Range steps = side.steps(top, {0, band.count()});
    if (joined) {
      if (steps.count() > 0)
        add_vectors(products + steps.begin * outputs, steps.count() * outputs, slices + (top + steps.begin) * outputs);
      continue;
    }
    for (int64_t k = steps.begin; k < steps.end; ++k)
      add_slice(t, products + k * step, slices + (top + k * side.dilation) * floats);
  }
}

/// Sets `results` pixels of a block of channels to its bias, or to zero without one.
inline void start_block(const TransposedConv& t, const float* bias, int64_t results, float* out) {
  const int64_t outputs = t.block_outputs();
  for (int64_t i = 0; i < results; ++i, out += t.out_channels) {
    if (bias) {
      copy_vectors(bias, outputs, out);
    } else {
      std::memset(out, 0, static_cast<size_t>(outputs) * sizeof(float));
    }
  }
}

/// Applies the activation to `results` pixels of a block of channels.
inline void activate_block(const TransposedConv& t, int64_t results, float* out) {
  const int64_t outputs = t.block_outputs();
  if (outputs == t.out_channels) return activate_span(out, results * outputs, t.activation);
  each_vector(outputs, [&](int64_t c, int64_t left) {
    activate_columns(out + c, results, t.out_channels, left < kLanes ? left : kLanes, t.activation);
  });
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
      const int64_t results = band.count() * t.results_of_slice();
      float* out = t.out + (n * t.slices.out_size + band.begin) * t.results_of_slice() * t.out_channels + channel;
      start_block(t, t.bias ? t.bias + channel : nullptr, results, out);
      add_slices(t, band, under, scratch, out);
      activate_block(t, results, out);
    }
  }
}

}  // namespace pt2::PT2_ISA
