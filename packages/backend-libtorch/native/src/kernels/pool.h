// Pooling over windows of an image as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// Windows start at (oh * stride - pad). The largest of one: NaN wins, padding never does. The mean: the sum over the
/// image, by what `counts_padding` and `divisor` say.
struct Pool {
  const float* x;  // batch, height, width, channels; pixels `pitch` floats apart
  float* out;      // batch, out_height, out_width, channels
  int64_t batch, channels, height, width, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, pitch;
  bool counts_padding = false;  // whether a mean is over the padding too, which is zero
  int64_t divisor = 0;          // of sums, in place of the number of pixels; 0 for that
};

}  // namespace pt2
