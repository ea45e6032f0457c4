// Puts tensors together on several threads, where ATen takes one for what is not large.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "../table.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"

namespace pt2 {

namespace {

/// The dimensions from the outermost to the innermost in memory.
at::DimVector order_of(int64_t rank, at::MemoryFormat format) {
  if (format == at::MemoryFormat::ChannelsLast) return {0, 2, 3, 1};
  at::DimVector order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

/// A tensor as rows, of which each has all that lies inside of `dim`, without gaps; rows lie at equal distances. None
/// for a tensor that is not like that: a part of a larger one along `dim` is.
std::optional<Concatenation::Part> as_rows(const at::Tensor& tensor, int64_t dim, const at::DimVector& order) {
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
  return Concatenation::Part{tensor.const_data_ptr<float>(), width, pitch};
}

/// Whether tensors are of float32 and one shape but for `dim`, in one order of dimensions.
bool are_alike(at::TensorList tensors, int64_t dim, at::MemoryFormat format) {
  const at::Tensor& first = tensors.front();
  return std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    if (!tensor.device().is_cpu() || tensor.scalar_type() != at::kFloat || tensor.layout() != at::kStrided)
      return false;
    if (tensor._is_zerotensor() || tensor.is_neg()) return false;
    for (int64_t i = 0; i < first.dim(); ++i) {
      if (i != dim && tensor.size(i) != first.size(i)) return false;
    }
    return tensor.suggest_memory_format() == format;
  });
}

/// The tensors as rows, or none where one of them is not like that; those without elements are left out.
std::vector<Concatenation::Part> parts_of(at::TensorList tensors, int64_t dim, at::MemoryFormat format) {
  if (format != at::MemoryFormat::Contiguous && format != at::MemoryFormat::ChannelsLast) return {};
  if (!are_alike(tensors, dim, format)) return {};
  const at::DimVector order = order_of(tensors.front().dim(), format);
  std::vector<Concatenation::Part> parts;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.numel() == 0) continue;
    const std::optional<Concatenation::Part> part = as_rows(tensor, dim, order);
    if (!part.has_value()) return {};
    parts.push_back(*part);
  }
  return parts;
}

}  // namespace

at::Tensor cat(at::TensorList tensors, int64_t given_dim) {
  // ATen leaves out empty vectors, whatever the others are.
  const bool same_rank = std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    return tensor.defined() && tensor.dim() > 0 && tensor.dim() == tensors.front().dim();
  });
  if (tensors.empty() || !same_rank) return at::cat(tensors, given_dim);
  const at::Tensor& first = tensors.front();
  const int64_t dim = c10::maybe_wrap_dim(given_dim, first.dim());
  const at::MemoryFormat format = first.suggest_memory_format();
  const std::vector<Concatenation::Part> parts = parts_of(tensors, dim, format);
  if (parts.empty()) return at::cat(tensors, dim);
  at::DimVector sizes(first.sizes());
  sizes[dim] = 0;
  for (const at::Tensor& tensor : tensors) sizes[dim] += tensor.size(dim);
  const at::Tensor out = at::empty(sizes, first.options().memory_format(format));
  Concatenation c{
      .parts = parts.data(),
      .count = static_cast<int64_t>(parts.size()),
      .out = out.mutable_data_ptr<float>(),
      .width = 0,
  };
  for (const Concatenation::Part& part : parts) c.width += part.width;
  shareRanges(out.numel(), kFloatsPerThread, [&](int64_t begin, int64_t end) { kernels().concatenate(c, begin, end); });
  return out;
}

}  // namespace pt2
