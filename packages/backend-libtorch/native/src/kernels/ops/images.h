// Sequences and videos, which kernels of images take as images.
#pragma once

#include <ATen/core/Tensor.h>

#include "check.h"
#include "rows.h"

namespace pt2 {

/// [batch, channels, width] as [batch, channels, 1, width]; an image is itself.
inline at::Tensor as_image(const at::Tensor& x, const char* op) {
  check_float(x, op, "x");
  TORCH_CHECK(x.dim() == 3 || x.dim() == 4, "pt2::", op, ": x must have three or four dimensions, got ", x.sizes());
  return x.dim() == 3 ? x.unsqueeze(2) : x;
}

/// The same for kernels that look at one column: [batch, channels, frames, height, width] is [batch, channels, frames,
/// height * width], a row for each frame.
inline at::Tensor as_flat_image(const at::Tensor& x, const char* op) {
  check_float(x, op, "x");
  return x.dim() == 5 ? x.flatten(3) : as_image(x, op);
}

/// A result with as many dimensions as the op was given.
inline at::Tensor like_given(const at::Tensor& out, const at::Tensor& given) {
  if (given.dim() == 5) return out.unflatten(3, {given.size(3), given.size(4)});
  return given.dim() == 3 ? out.squeeze(2) : out;
}

/// Checks that windows over the flat image of a video look at one column each.
inline void check_flat(const at::Tensor& given, int64_t kernel, int64_t stride, int64_t pad, const char* op) {
  TORCH_CHECK(given.dim() != 5 || (kernel == 1 && stride == 1 && pad == 0), "pt2::", op,
              ": windows over videos must have one column, got a kernel of ", kernel, ", stride ", stride,
              " and padding ", pad);
}

/// An image whose channels lie one after the other. Its pixels follow each other at equal distances: it may be some of
/// the channels of a wider one.
struct Pixels {
  at::Tensor image;
  int64_t pitch;  // floats from one pixel to the next

  const float* data() const { return image.const_data_ptr<float>(); }
};

/// The pixels of `x` where they are, or of a copy in channels-last order.
inline Pixels pixels_of(const at::Tensor& x) {
  if (x.numel() > 0) {
    if (const auto rows = as_rows(x, 1, channels_last_order())) return {x, rows->pitch};
  }
  return {x.contiguous(at::MemoryFormat::ChannelsLast), x.size(1)};
}

}  // namespace pt2
