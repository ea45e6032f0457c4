// Puts tensors together on several threads, where ATen takes one for what is not large.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "../table.h"
#include "ops.h"
#include "rows.h"
#include "share-images.h"
#include "team.h"

namespace pt2 {

namespace {

/// The dimensions from the outermost to the innermost in memory.
at::DimVector order_of(int64_t rank, at::MemoryFormat format) {
  if (format == at::MemoryFormat::ChannelsLast) return channels_last_order();
  at::DimVector order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// The numbers of a dtype that a float has room for; none of one that is not copied here.
int64_t numbers_in_float(at::ScalarType type) {
  if (type == at::kFloat) return 1;
  return type == at::kHalf || type == at::kBFloat16 ? 2 : 0;
}

/// Whether tensors are of one dtype and one shape but for `dim`, in one order of dimensions.
bool are_alike(at::TensorList tensors, int64_t dim, at::MemoryFormat format) {
  const at::Tensor& first = tensors.front();
  return std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    if (!tensor.device().is_cpu() || tensor.scalar_type() != first.scalar_type()) return false;
    if (tensor.layout() != at::kStrided) return false;
    if (tensor._is_zerotensor() || tensor.is_neg()) return false;
    for (int64_t i = 0; i < first.dim(); ++i) {
      if (i != dim && tensor.size(i) != first.size(i)) return false;
    }
    return tensor.suggest_memory_format() == format;
  });
}

/// The tensors as rows of floats, or none where one of them is not like that; those without elements are left out.
std::vector<Concatenation::Part> parts_of(at::TensorList tensors, int64_t dim, const at::DimVector& order) {
  const int64_t packed = numbers_in_float(tensors.front().scalar_type());
  std::vector<Concatenation::Part> parts;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.numel() == 0) continue;
    const std::optional<Rows> rows = as_rows(tensor, dim, order);
    if (!rows.has_value() || rows->width % packed != 0 || rows->pitch % packed != 0) return {};
    if (reinterpret_cast<uintptr_t>(rows->data) % alignof(float) != 0) return {};
    parts.push_back({static_cast<const float*>(rows->data), rows->width / packed, rows->pitch / packed});
  }
  return parts;
}

}  // namespace

at::Tensor cat(at::TensorList tensors, int64_t given_dim, bool any_order) {
  // ATen leaves out empty vectors, whatever the others are.
  const bool same_rank = std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    return tensor.defined() && tensor.dim() > 0 && tensor.dim() == tensors.front().dim();
  });
  if (tensors.empty() || !same_rank) return at::cat(tensors, given_dim);
  const at::Tensor& first = tensors.front();
  const int64_t dim = c10::maybe_wrap_dim(given_dim, first.dim());
  const at::MemoryFormat format = first.suggest_memory_format();
  const bool is_read = numbers_in_float(first.scalar_type()) > 0 && format != at::MemoryFormat::ChannelsLast3d;
  if (!is_read || !are_alike(tensors, dim, format)) return at::cat(tensors, dim);
  std::vector<Concatenation::Part> parts = parts_of(tensors, dim, order_of(first.dim(), format));
  const bool has_channels_last = parts.empty() && any_order && first.dim() == 3;
  if (has_channels_last) parts = parts_of(tensors, dim, {0, 2, 1});
  if (parts.empty()) return at::cat(tensors, dim);
  at::DimVector sizes(first.sizes());
  sizes[dim] = 0;
  for (const at::Tensor& tensor : tensors) sizes[dim] += tensor.size(dim);
  const at::Tensor out = has_channels_last ? at::empty({sizes[0], sizes[2], sizes[1]}, first.options()).transpose(1, 2)
                                           : at::empty(sizes, first.options().memory_format(format));
  Concatenation c{
      .parts = parts.data(),
      .count = static_cast<int64_t>(parts.size()),
      .out = static_cast<float*>(out.mutable_data_ptr()),
      .width = 0,
  };
  for (const Concatenation::Part& part : parts) c.width += part.width;
  const int64_t floats = out.numel() / numbers_in_float(out.scalar_type());
  shareRanges(floats, kFloatsPerThread, [&](int64_t begin, int64_t end) { kernels().concatenate(c, begin, end); });
  return out;
}

}  // namespace pt2
