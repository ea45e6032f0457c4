// Sequences, which kernels of images take as images of one row.
#pragma once

#include <ATen/core/Tensor.h>

#include "check.h"

namespace pt2 {

/// [batch, channels, width] as [batch, channels, 1, width]; an image is itself.
inline at::Tensor as_image(const at::Tensor& x, const char* op) {
  check_float(x, op, "x");
  TORCH_CHECK(x.dim() == 3 || x.dim() == 4, "pt2::", op, ": x must have three or four dimensions, got ", x.sizes());
  return x.dim() == 3 ? x.unsqueeze(2) : x;
}

/// A result with as many dimensions as the op was given.
inline at::Tensor like_given(const at::Tensor& out, const at::Tensor& given) {
  return given.dim() == 3 ? out.squeeze(2) : out;
}

/// An image whose channels lie one after the other. Its pixels follow each other at equal distances: it may be some of
/// the channels of a wider one.
struct Pixels {
  at::Tensor image;
  int64_t pitch;  // floats from one pixel to the next

  const float* data() const { return image.const_data_ptr<float>(); }
};

/// Floats from one pixel of `x` to the next in channels-last order, or 0 where it lies in another.
inline int64_t pitch_of(const at::Tensor& x) {
  if (x.size(1) > 1 && x.stride(1) != 1) return 0;
  int64_t pitch = 0, pixels = 1;
  for (const int64_t dim : {3, 2, 0}) {
    if (x.size(dim) == 1) continue;
    if (pitch == 0) pitch = x.stride(dim) / pixels;
    if (pitch < x.size(1) || x.stride(dim) != pitch * pixels) return 0;
    pixels *= x.size(dim);
  }
  return pitch == 0 ? x.size(1) : pitch;
}

/// The pixels of `x` where they are, or of a copy in channels-last order.
inline Pixels pixels_of(const at::Tensor& x) {
  const int64_t pitch = x.numel() == 0 ? x.size(1) : pitch_of(x);
  if (pitch > 0) return {x, pitch};
  return {x.contiguous(at::MemoryFormat::ChannelsLast), x.size(1)};
}

}  // namespace pt2
