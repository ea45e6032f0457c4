// Checks that every op makes of its tensors before its kernel reads their memory.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>

#include <optional>

namespace pt2 {

/// Whether kernels can read the memory of a tensor.
inline bool is_float(const at::Tensor& t) {
  return t.defined() && t.device().is_cpu() && t.scalar_type() == at::kFloat && t.layout() == at::kStrided;
}

inline void check_float(const at::Tensor& t, const char* op, const char* name) {
  TORCH_CHECK(is_float(t), "pt2::", op, ": ", name, " must be a strided float32 tensor on the CPU, got ", t.toString());
}

/// A contiguous vector of `size` floats, or an undefined tensor where the op was given none.
inline at::Tensor optional_vector(const std::optional<at::Tensor>& t, int64_t size, const char* op, const char* name) {
  if (!t.has_value() || !t->defined()) return {};
  check_float(*t, op, name);
  TORCH_CHECK(t->dim() == 1 && t->size(0) == size, "pt2::", op, ": ", name, " must have shape [", size, "], got ",
              t->sizes());
  return t->contiguous();
}

/// A tensor of the shape of `out` in its memory order, or an undefined tensor where the op was given none.
inline at::Tensor optional_like(const std::optional<at::Tensor>& t, const at::Tensor& out, at::MemoryFormat format,
                                const char* op, const char* name) {
  if (!t.has_value() || !t->defined()) return {};
  check_float(*t, op, name);
  TORCH_CHECK(t->sizes() == out.sizes(), "pt2::", op, ": ", name, " must have the shape of the result, ", out.sizes(),
              ", got ", t->sizes());
  return t->contiguous(format);
}

/// A weight [columns, inner] as `pack_linear_weight` makes it.
const at::Tensor& check_packed(const at::Tensor& packed, int64_t inner, int64_t columns, const char* op);

/// Packs the matrices [out, in] of groups, which lie one after the other, in panels of so many columns.
at::Tensor pack_matrices(const at::Tensor& weight, int64_t groups, int64_t panel);

inline const float* data_or_null(const at::Tensor& t) { return t.defined() ? t.const_data_ptr<float>() : nullptr; }

}  // namespace pt2
