// Results that take the place of what was added to them.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <optional>

#include "../gemm.h"
#include "check.h"

namespace pt2 {

/// Whether nothing but this reference sees the memory, which belongs to an allocator: it is a value of the run that no
/// later step reads. Memory of inputs, of weights and of other owners is never that.
inline bool is_last_reference(const at::Tensor& t) {
  return t.use_count() == 1 && t.has_storage() && t.storage().use_count() == 1 && t.storage().resizable();
}

/// A tensor for a result to which `residual` is added, in the memory of the residual where that is read for the last
/// time and lies like the result. Of one that is too large for the second-level cache the lines are then brought once
/// and not twice; a smaller one gains nothing. A kernel may use it that reads each element of the residual right before
/// it writes the same one, and writes nothing else before.
inline at::Tensor take_or_empty(const std::optional<at::Tensor>& residual, at::IntArrayRef sizes,
                                const at::TensorOptions& options, at::MemoryFormat format) {
  const bool taken = residual.has_value() && is_float(*residual) && residual->numel() > kGemmCached &&
                     residual->sizes() == sizes && residual->is_contiguous(format) && is_last_reference(*residual);
  return taken ? *residual : at::empty(sizes, options.memory_format(format));
}

/// A tensor for a product. One that is summed up in parts writes them before it reads the residual.
inline at::Tensor product_or_empty(int64_t inner, const std::optional<at::Tensor>& residual, at::IntArrayRef sizes,
                                   const at::TensorOptions& options, at::MemoryFormat format) {
  return inner <= kGemmInner ? take_or_empty(residual, sizes, options, format)
                             : at::empty(sizes, options.memory_format(format));
}

}  // namespace pt2
