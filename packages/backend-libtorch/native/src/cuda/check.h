// Checks that every op makes of its tensors before a kernel on the GPU reads their memory.
#pragma once

#ifdef PT2_CUDA

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <optional>

namespace pt2::cuda {

inline void checkFloat(const at::Tensor& t, const char* op, const char* name) {
  TORCH_CHECK(t.defined() && t.is_cuda() && t.scalar_type() == at::kFloat && t.layout() == at::kStrided, "pt2::", op,
              ": ", name, " must be a strided float32 tensor on a GPU, got ", t.toString());
}

// A contiguous vector of `size` floats on the device of `like`, or an undefined tensor where the op was given none.
inline at::Tensor optionalVector(const std::optional<at::Tensor>& t, int64_t size, const at::Tensor& like,
                                 const char* op, const char* name) {
  if (!t.has_value() || !t->defined()) return {};
  checkFloat(*t, op, name);
  TORCH_CHECK(t->dim() == 1 && t->size(0) == size && t->device() == like.device(), "pt2::", op, ": ", name,
              " must have shape [", size, "] on ", like.device(), ", got ", t->sizes(), " on ", t->device());
  return t->contiguous();
}

// A tensor of the shape and on the device of `out` in its memory order, or an undefined tensor where the op was given
// none.
inline at::Tensor optionalLike(const std::optional<at::Tensor>& t, const at::Tensor& out, at::MemoryFormat format,
                               const char* op, const char* name) {
  if (!t.has_value() || !t->defined()) return {};
  checkFloat(*t, op, name);
  TORCH_CHECK(t->sizes() == out.sizes() && t->device() == out.device(), "pt2::", op, ": ", name,
              " must have the shape of the result, ", out.sizes(), ", got ", t->sizes());
  return t->contiguous(format);
}

// Whether memory begins where vectors of four floats may.
inline bool isAligned(const void* data) { return reinterpret_cast<uintptr_t>(data) % 16 == 0; }

}  // namespace pt2::cuda

#endif
