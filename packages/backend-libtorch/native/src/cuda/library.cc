// Registers this module's kernels for GPUs with PyTorch's dispatcher. The schemas are in `kernels/library.cc`.
#ifdef PT2_CUDA

#include <torch/library.h>

#include "cuda/ops.h"

TORCH_LIBRARY_IMPL(pt2, CUDA, m) {
  m.impl("pointwise", TORCH_FN(pt2::cuda::pointwise));
  m.impl("pack_3xtf32_weight", TORCH_FN(pt2::cuda::pack_3xtf32_weight));
  m.impl("linear_3xtf32", TORCH_FN(pt2::cuda::linear_3xtf32));
  m.impl("pack_conv_weight", TORCH_FN(pt2::cuda::pack_conv_weight));
  m.impl("direct_conv2d", TORCH_FN(pt2::cuda::direct_conv2d));
  m.impl("pack_depthwise_weight", TORCH_FN(pt2::cuda::pack_depthwise_weight));
  m.impl("depthwise_conv2d", TORCH_FN(pt2::cuda::depthwise_conv2d));
}

#endif
