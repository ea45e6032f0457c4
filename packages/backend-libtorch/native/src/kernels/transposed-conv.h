// A transposed convolution as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <algorithm>
#include <cstdint>

#include "activation.h"
#include "gemm.h"

namespace pt2 {

/// Rows [begin, end) of an image.
struct ImageRows {
  int64_t begin, end;

  int64_t count() const { return end - begin; }
};

/// Each pixel times the weight gives a window of outputs; windows are `stride` apart and are added where they overlap.
/// Products of a band of rows stay in the second-level cache until they are added.
struct TransposedConv {
  const float* x;       // batch, height, width, channels; pixels `pitch` floats apart
  const float* packed;  // for each block as `Gemm` has it: [kernel_h * kernel_w * block_outputs, channels]
  const float* bias;    // out_channels, or null
  float* out;           // batch, out_height, out_width, out_channels
  int64_t batch, channels, height, width, out_channels, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, pitch;
  GemmShape shape;  // of `block_columns()`
  Activation activation;

  /// Blocks of output channels whose weights are packed one after the other.
  int64_t blocks = 1;
  /// Bands of output rows that an image is cut into, and parts that the blocks of each are cut into.
  int64_t bands = 1, parts = 1;
  /// The products of the band with most pixels.
  int64_t product_floats = 0;

  int64_t block_outputs() const { return out_channels / blocks; }
  int64_t block_columns() const { return kernel_h * kernel_w * block_outputs(); }
  int64_t block_floats() const { return (block_columns() + shape.panel - 1) / shape.panel * shape.panel * channels; }
  /// Independent pieces of work: a part of the channels of one band of one image.
  int64_t items() const { return batch * bands * parts; }
  ImageRows band_rows(int64_t band) const { return {out_height * band / bands, out_height * (band + 1) / bands}; }
  /// The rows of the image with windows that reach some rows of the result.
  ImageRows rows_under(ImageRows rows) const {
    const int64_t above = rows.begin + pad_h - (kernel_h - 1) * dilation_h, below = rows.end + pad_h;
    const int64_t begin = above > 0 ? (above + stride_h - 1) / stride_h : 0;
    return {begin, std::clamp((below + stride_h - 1) / stride_h, begin, std::max(begin, height))};
  }
  /// The product of a band with a block of the weight.
  Gemm product(ImageRows under) const {
    Gemm g{
        .a = x + under.begin * width * pitch,
        .packed = packed,
        .bias = nullptr,
        .residual = nullptr,
        .out = nullptr,
        .rows = under.count() * width,
        .inner = channels,
        .columns = block_columns(),
        .pitch = pitch,
        .shape = shape,
        .activation = {},
    };
    g.cut_into_bands(1);
    return g;
  }
};

}  // namespace pt2
