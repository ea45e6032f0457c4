// What the kernels share: PyTorch's stable ABI, checks, and dtypes.
#pragma once

#define TORCH_TARGET_VERSION (((0ULL + 2) << 56) | ((0ULL + 11) << 48))

#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace pt2 {

using torch::headeronly::ScalarType;
using torch::stable::Tensor;

// The dtype in which a kernel computes: half precision is widened to float32.
inline ScalarType wideType(const Tensor& x) {
  return x.scalar_type() == ScalarType::Double ? ScalarType::Double : ScalarType::Float;
}

// The elements in the dtype that a kernel computes in, one after another.
inline Tensor wide(const Tensor& x) {
  const ScalarType type = wideType(x);
  return torch::stable::contiguous(x.scalar_type() == type ? x : torch::stable::to(x, type));
}

// A result in the dtype of an argument.
inline Tensor likeThat(const Tensor& result, const Tensor& argument) {
  const ScalarType type = argument.scalar_type();
  return result.scalar_type() == type ? result : torch::stable::to(result, type);
}

inline void requireFloats(const char* op, const Tensor& x) {
  const ScalarType type = x.scalar_type();
  STD_TORCH_CHECK(type == ScalarType::Float || type == ScalarType::Double || type == ScalarType::Half, op,
                  " is not implemented for this dtype");
}

inline void requireSizes(const char* name, const Tensor& x, std::initializer_list<int64_t> sizes) {
  bool same = x.dim() == static_cast<int64_t>(sizes.size());
  int64_t d = 0;
  for (const int64_t size : sizes) same = same && x.size(d++) == size;
  STD_TORCH_CHECK(same, name, " has a shape that does not fit the other arguments");
}

inline Tensor zeros(const Tensor& like, std::initializer_list<int64_t> sizes) {
  const std::vector<int64_t> list(sizes);
  return torch::stable::new_zeros(like, list, like.scalar_type());
}

inline Tensor empty(const Tensor& like, std::initializer_list<int64_t> sizes, ScalarType type) {
  const std::vector<int64_t> list(sizes);
  return torch::stable::new_empty(like, list, type);
}

template <typename T>
const T* elements(const Tensor& x) {
  return static_cast<const T*>(x.const_data_ptr());
}

template <typename T>
T* mutableElements(const Tensor& x) {
  return static_cast<T*>(x.mutable_data_ptr());
}

// Calls `compute` with a number of the dtype of a wide tensor.
template <typename Compute>
void withNumber(const Tensor& x, const Compute& compute) {
  if (x.scalar_type() == ScalarType::Double) {
    compute(double{});
  } else {
    compute(float{});
  }
}

}  // namespace pt2
