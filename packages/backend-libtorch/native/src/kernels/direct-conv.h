// A convolution as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

#include "activation.h"
#include "gemm.h"

namespace pt2 {

/// Columns below which an image is narrow.
inline constexpr int64_t kNarrow = 10;

/// Columns from which on rows are convolved one by one where they lie.
inline constexpr int64_t kBroad = 64;

struct DirectConv {
  const float* x;         // batch, channels, height, width, with any strides
  const float* packed;    // for each group as `Gemm` has it: [group_outputs, kernel_h * kernel_w * group_channels]
  const float* bias;      // out_channels, or null
  const float* residual;  // like `out`, or null
  float* out;             // batch, out_height, out_width, out_channels
  int64_t batch, channels, height, width, out_channels, out_height, out_width, groups;
  int64_t x_image, x_channel, x_row, x_column;  // strides of `x`
  int64_t kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w;
  int64_t pad_top, pad_left, padded_height, padded_width;
  int64_t panel;  // columns of a panel of `packed`
  int64_t pitch;  // floats from one pixel of the copy to the next
  Activation activation;

  /// Bands of output rows that an image is cut into; a band of the padded image stays in the second-level cache.
  int64_t bands = 1;
  /// Parts that the panels of output channels are cut into, where there are too few bands for all threads.
  int64_t parts = 1;
  /// Stretches of columns that rows are cut into, where each row is a band.
  int64_t stretches = 1;

  int64_t group_channels() const { return channels / groups; }
  int64_t group_outputs() const { return out_channels / groups; }
  int64_t group_panels() const { return (group_outputs() + panel - 1) / panel; }
  int64_t panels() const { return groups * group_panels(); }
  /// Independent pieces of work: a part of the channels of one band of one image.
  int64_t items() const { return batch * bands * stretches * parts; }
  /// Rows of the padded image under `rows` rows of the result.
  int64_t rows_under(int64_t rows) const { return (rows - 1) * stride_h + (kernel_h - 1) * dilation_h + 1; }
  /// Whether pixels are read where they lie: without padding, their channels and columns one after the other.
  bool in_place() const { return padded_height == height && lies_in_rows(); }
  /// Whether rows are convolved one by one where they lie, without what of the kernel is above or below the image.
  bool row_by_row() const { return padded_height != height && out_width >= kBroad && lies_in_rows(); }
  /// What one thread needs: one band of the padded image, channels-last.
  int64_t scratch_floats() const {
    return in_place() || row_by_row() ? 0 : rows_under((out_height + bands - 1) / bands) * padded_width * pitch;
  }

 private:
  /// Whether rows have no padding, and their channels and columns lie one after the other.
  bool lies_in_rows() const {
    return padded_width == width && x_channel == 1 && x_column == channels && pitch == channels;
  }
};

}  // namespace pt2
