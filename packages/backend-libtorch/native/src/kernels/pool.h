// Pooling over windows of an image as the loops see it: plain pointers and sizes, already checked.
#pragma once

#include <cstdint>

namespace pt2 {

/// out[oh, ow] = the largest of the window that starts at (oh * stride - pad); NaN wins. Padding never does.
struct MaxPool {
  const float* x;  // batch, height, width, channels; pixels `pitch` floats apart
  float* out;      // batch, out_height, out_width, channels
  int64_t batch, channels, height, width, out_height, out_width;
  int64_t kernel_h, kernel_w, stride_h, stride_w, pad_h, pad_w, dilation_h, dilation_w, pitch;
};

}  // namespace pt2
