// Puts tensors together on several threads, where ATen takes one for what is not large.
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <c10/core/WrapDimMinimal.h>

#include <algorithm>
#include <vector>

#include "../table.h"
#include "ops.h"
#include "share-images.h"
#include "team.h"

namespace pt2 {

namespace {

/// Whether tensors are of float32 and one shape but for `dim`, and lie one after the other in one order of dimensions.
bool lie_alike(at::TensorList tensors, int64_t dim, at::MemoryFormat format) {
  if (format != at::MemoryFormat::Contiguous && format != at::MemoryFormat::ChannelsLast) return false;
  const at::Tensor& first = tensors.front();
  return std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& tensor) {
    if (!tensor.device().is_cpu() || tensor.scalar_type() != at::kFloat || tensor.layout() != at::kStrided)
      return false;
    if (tensor._is_zerotensor() || tensor.is_neg()) return false;
    for (int64_t i = 0; i < first.dim(); ++i) {
      if (i != dim && tensor.size(i) != first.size(i)) return false;
    }
    return tensor.suggest_memory_format() == format && tensor.is_contiguous(format);
  });
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
  if (!lie_alike(tensors, dim, format)) return at::cat(tensors, dim);
  at::DimVector sizes(first.sizes());
  sizes[dim] = 0;
  for (const at::Tensor& tensor : tensors) sizes[dim] += tensor.size(dim);
  const at::Tensor out = at::empty(sizes, first.options().memory_format(format));
  if (out.numel() == 0) return out;
  // What lies inside of `dim` is as large in each tensor as in the result.
  const int64_t inside = out.stride(dim);
  std::vector<Concatenation::Part> parts;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.numel() > 0) parts.push_back({tensor.const_data_ptr<float>(), tensor.size(dim) * inside});
  }
  const Concatenation c{
      .parts = parts.data(),
      .count = static_cast<int64_t>(parts.size()),
      .out = out.mutable_data_ptr<float>(),
      .width = out.size(dim) * inside,
  };
  shareRanges(out.numel(), kFloatsPerThread, [&](int64_t begin, int64_t end) { kernels().concatenate(c, begin, end); });
  return out;
}

}  // namespace pt2
