// Tensors as rows, which may be parts of longer ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>

namespace pt2 {

/// Rows of `width` numbers without gaps, `pitch` numbers from one to the next.
struct Rows {
  const void* data;
  int64_t width, pitch;
};

/// The dimensions of channels-last images from the outermost to the innermost in memory.
inline at::DimVector channels_last_order() { return {0, 2, 3, 1}; }

/// A tensor with elements as rows, each with all that lies inside of `dim` in this order of dimensions. None
/// where rows have gaps or do not lie at equal distances; a part of a larger tensor along `dim` is like that.
inline std::optional<Rows> as_rows(const at::Tensor& tensor, int64_t dim, const at::DimVector& order) {
  int64_t width = 1, pitch = 0, rows = 0;  // no rows before there are all of the inner dimensions
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const int64_t size = tensor.size(*at), stride = tensor.stride(*at);
    if (rows == 0) {
      if (size != 1 && stride != width) return std::nullopt;
      width *= size;
      if (*at == dim) rows = 1;
    } else if (size != 1) {
      if (rows == 1) pitch = stride;
      if (stride != pitch * rows) return std::nullopt;
      rows *= size;
    }
  }
  return Rows{tensor.const_data_ptr(), width, pitch};
}

}  // namespace pt2
