// Dtypes of elements: half precision is read and written as it is, and computed in float32.
#pragma once

#include <torch/headeronly/util/Half.h>

#include <type_traits>

#include "../tensors.h"

namespace pt2 {

using Half = torch::headeronly::Half;

// The dtype in which elements are computed.
template <typename Element>
using Wide = std::conditional_t<std::is_same_v<Element, double>, double, float>;

// Calls `compute` with an element of the dtype of a tensor.
template <typename Compute>
void withElement(const Tensor& x, const Compute& compute) {
  if (x.scalar_type() == ScalarType::Half) {
    compute(Half{});
  } else {
    withNumber(x, compute);
  }
}

// Checks that a plane of features can be indexed by 32 bits, which a GPU computes with faster.
inline void requirePlane(const char* op, int64_t height, int64_t width) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  STD_TORCH_CHECK(height <= kMost && width <= kMost && height * width <= kMost, op, ": a plane has too many elements");
}

}  // namespace pt2
