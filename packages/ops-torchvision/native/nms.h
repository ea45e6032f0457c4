// What suppression of boxes needs on every device.
#pragma once

#include <array>

#include "tensors.h"

namespace pt2 {

// torchvision's own conditions for boxes [n, 4] and scores [n].
inline void requireBoxes(const Tensor& dets, const Tensor& scores) {
  STD_TORCH_CHECK(dets.dim() == 2, "boxes should be a 2d tensor, got ", dets.dim(), "D");
  STD_TORCH_CHECK(dets.size(1) == 4, "boxes should have 4 elements in dimension 1, got ", dets.size(1));
  STD_TORCH_CHECK(scores.dim() == 1, "scores should be a 1d tensor, got ", scores.dim(), "D");
  STD_TORCH_CHECK(dets.size(0) == scores.size(0),
                  "boxes and scores should have same number of elements in dimension 0, got ", dets.size(0), " and ",
                  scores.size(0));
  STD_TORCH_CHECK(dets.scalar_type() == scores.scalar_type(), "dets should have the same type as scores");
  STD_TORCH_CHECK(dets.scalar_type() == ScalarType::BFloat16 || dets.scalar_type() == ScalarType::Half ||
                      dets.scalar_type() == ScalarType::Float || dets.scalar_type() == ScalarType::Double,
                  "nms is not implemented for this dtype");
}

// The largest number of the dtype that is not above a threshold: as the overlap is of the dtype, the same exceed it.
template <typename T>
T thresholdOf(double threshold) {
  const T near = static_cast<T>(threshold);
  return near > threshold ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

// The order of `scores.sort(stable=True, descending=True)`: PyTorch's own, so that it agrees on NaN.
inline Tensor descending(const Tensor& scores) {
  std::array<StableIValue, 4> stack{
      torch::stable::detail::from(scores),
      torch::stable::detail::from(std::optional<bool>(true)),
      torch::stable::detail::from(static_cast<int64_t>(0)),
      torch::stable::detail::from(true),
  };
  STABLE_TORCH_ERROR_CODE_CHECK(torch_call_dispatcher("aten::sort", "stable", stack.data(), TORCH_ABI_VERSION));
  const Tensor values = torch::stable::detail::to<Tensor>(stack[0]);
  return torch::stable::contiguous(torch::stable::detail::to<Tensor>(stack[1]));
}

}  // namespace pt2
