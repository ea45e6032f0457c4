// A transposed convolution as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "activation.h"
#include "gemm.h"

namespace pt2 {

/// Numbers [begin, end).
struct Range {
  int64_t begin, end;

  int64_t count() const { return end - begin; }
};

/// One side of images, and the windows along it: one for each pixel, with steps of the kernel `dilation` apart.
struct TransposedSide {
  int64_t size = 1, out_size = 1, kernel = 1, stride = 1, padding = 0, dilation = 1;

  /// Where the window of a pixel begins; below zero for one that begins in the padding.
  int64_t start(int64_t pixel) const { return pixel * stride - padding; }
  /// The steps of a window with this start that reach some results.
  Range steps(int64_t start, Range results) const {
    const int64_t above = results.begin - start, below = results.end - start;
    const int64_t first = above > 0 ? (above + dilation - 1) / dilation : 0;
    return {first, below > 0 ? std::min(kernel, (below + dilation - 1) / dilation) : 0};
  }
  Range results() const { return {0, out_size}; }
  /// The pixels with windows that reach some results.
  Range under(Range results) const {
    const int64_t above = results.begin + padding - (kernel - 1) * dilation, below = results.end + padding;
    const int64_t begin = above > 0 ? (above + stride - 1) / stride : 0;
    return {begin, std::clamp((below + stride - 1) / stride, begin, std::max(begin, size))};
  }
};

/// Each pixel times the weight gives a window of results, which are added where windows overlap. Images have slices,
/// rows and columns; one without slices has its rows for them. The products of a band of slices stay in the
/// second-level cache until they are added.
struct TransposedConv {
  const float* x;       // batch, slices, rows, columns, channels; pixels `pitch` floats apart
  const float* packed;  // for each block as `Gemm` has it: [window of the kernel * block_outputs, channels]
  const float* bias;    // out_channels, or null
  float* out;           // batch, slices, rows, columns, out_channels
  int64_t batch, channels, out_channels;
  TransposedSide slices, rows, columns;
  int64_t pitch;
  GemmShape shape;  // of `block_columns()`
  Activation activation;

  /// Blocks of output channels whose weights are packed one after the other.
  int64_t blocks = 1;
  /// Bands of slices of the result, and parts that the blocks of each are cut into.
  int64_t bands = 1, parts = 1;
  /// The products of the band with most pixels.
  int64_t product_floats = 0;

  int64_t pixels_of_slice() const { return rows.size * columns.size; }
  int64_t results_of_slice() const { return rows.out_size * columns.out_size; }
  int64_t block_outputs() const { return out_channels / blocks; }
  int64_t block_columns() const { return slices.kernel * rows.kernel * columns.kernel * block_outputs(); }
  int64_t block_floats() const { return (block_columns() + shape.panel - 1) / shape.panel * shape.panel * channels; }
  /// Whether the channels of neighboring steps of a window lie one after the other, as those of their results do.
  bool joins_steps(const TransposedSide& side) const { return blocks == 1 && side.dilation == 1; }
  /// Independent pieces of work: a part of the channels of one band of one image.
  int64_t items() const { return batch * bands * parts; }
  Range band(int64_t index) const { return {slices.out_size * index / bands, slices.out_size * (index + 1) / bands}; }
  /// The product of some slices of the first image with the first block of the weight.
  Gemm product(Range under) const {
    Gemm g{
        .a = x + under.begin * pixels_of_slice() * pitch,
        .packed = packed,
        .bias = nullptr,
        .residual = nullptr,
        .out = nullptr,
        .rows = under.count() * pixels_of_slice(),
        .inner = channels,
        .columns = block_columns(),
        .pitch = pitch,
        .out_pitch = block_columns(),
        .shape = shape,
        .activation = {},
    };
    g.cut_into_bands(1);
    return g;
  }
};

}  // namespace pt2
