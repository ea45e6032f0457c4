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

}  // namespace pt2
