#include <ATen/ExpandUtils.h>

#include <iterator>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

// (grad, x1, x2, p, cdist)
void cdistBackward(const CallArguments& call) {
  const at::Tensor left = call.tensor(1);
  const at::Tensor right = call.tensor(2);
  if (!left.defined() || !right.defined() || left.dim() < 2 || right.dim() < 2) return;
  if (left.size(-1) != right.size(-1)) refuseArgument(call, "x2", "has points of another dimension than `x1`");
  const auto batchOf = [](const at::Tensor& points) { return points.sizes().slice(0, points.sizes().size() - 2); };
  std::vector<int64_t> sizes = at::infer_size(batchOf(left), batchOf(right));
  sizes.push_back(left.size(-2));
  sizes.push_back(right.size(-2));
  requireSizes(call, "grad", call.tensor(0), sizes);
  requireSizes(call, "cdist", call.tensor(4), sizes);
}

// (grad, self, p, pdist)
void pdistBackward(const CallArguments& call) {
  const at::Tensor self = call.tensor(1);
  if (!self.defined() || self.dim() == 0) return;
  requireDims(call, "self", self, 2);
  requireDims(call, "grad", call.tensor(0), 1);
  requireDims(call, "pdist", call.tensor(3), 1);
  requireSizes(call, "out", call.tensor(4), self.sizes());
  const int64_t pairs = self.size(0) * (self.size(0) - 1) / 2;
  requireCount(call, "grad", call.tensor(0), pairs);
  requireCount(call, "pdist", call.tensor(3), pairs);
}

// (self, values, indices, dim)
void cumulate(const CallArguments& call) {
  if (!call.has({0, 1, 2})) return;
  require(call.tensor(0).numel() > 0, call, "self", "is empty");
  requireSizes(call, "values", call.tensor(1), call.tensor(0).sizes());
  requireSizes(call, "indices", call.tensor(2), call.tensor(0).sizes());
}

// (grad_output, input, grid, …)
void gridSamplerBackward(const CallArguments& call) {
  const at::Tensor input = call.tensor(1);
  const at::Tensor grid = call.tensor(2);
  if (!input.defined() || !grid.defined() || input.dim() < 4 || grid.dim() != input.dim()) return;
  std::vector<int64_t> sizes = {input.size(0), input.size(1)};
  for (int64_t dim = 1; dim + 1 < grid.dim(); ++dim) sizes.push_back(grid.size(dim));
  requireSizes(call, "grad_output", call.tensor(0), sizes);
}

// A value for each key. Heads of queries may share one of keys.
void requireKeys(const CallArguments& call, const at::Tensor& key, const at::Tensor& value) {
  if (!key.defined() || !value.defined() || key.dim() < 2 || value.dim() < 2 || key.size(-2) == value.size(-2)) return;
  refuseArgument(call, "value", "has " + std::to_string(value.size(-2)) + " rows, and `key` has " +
                                    std::to_string(key.size(-2)));
}

// (query, key, value, …)
void attention(const CallArguments& call) {
  requireKeys(call, call.tensor(1), call.tensor(2));
}

// The kernel for the CPU: nothing is broadcast. (query, key, value, …) from a place on.
void requireHeads(const CallArguments& call, size_t query) {
  if (!call.has({query, query + 1, query + 2})) return;
  const at::Tensor queries = call.tensor(query);
  const at::Tensor keys = call.tensor(query + 1);
  const at::Tensor found = call.tensor(query + 2);
  requireKeys(call, keys, found);
  if (queries.dim() != 4 || keys.dim() != 4 || found.dim() != 4) return;
  const bool fits = keys.size(0) == queries.size(0) && keys.size(1) == found.size(1) && keys.size(1) > 0 &&
                    queries.size(1) % keys.size(1) == 0;
  if (!fits) refuseArgument(call, "key", "has another batch or number of heads than the others");
  requireCount(call, "value", found, keys.numel());
}

void flashAttention(const CallArguments& call) {
  requireHeads(call, 0);
}

// (grad_out, query, key, value, out, logsumexp, …)
void flashAttentionBackward(const CallArguments& call) {
  requireHeads(call, 1);
  const at::Tensor query = call.tensor(1);
  if (!query.defined() || query.dim() != 4) return;
  requireSizes(call, "grad_out", call.tensor(0), query.sizes());
  requireSizes(call, "out", call.tensor(4), query.sizes());
  requireCount(call, "logsumexp", call.tensor(5), query.size(0) * query.size(1) * query.size(2));
  static constexpr const char* kNames[] = {"grad_out", "query", "key", "value", "out"};
  for (size_t at = 0; at < std::size(kNames); ++at) {
    const at::Tensor tensor = call.tensor(at);
    const bool rows = !tensor.defined() || (tensor.stride(-1) == 1 && tensor.is_non_overlapping_and_dense());
    require(rows, call, kNames[at], "must have rows without gaps, and no element twice");
  }
}

// So little scale leaves no pixel, and filters without bound; so much less than the sizes say, and pixels would come from
// behind the image.
void requireScale(const CallArguments& call, const char* name, size_t at, int64_t from, int64_t to) {
  if (at >= call.values.size() || !call.values[at].isDouble()) return;
  const double scale = call.values[at].toDouble();
  if (!(scale > 0)) return;
  require(scale * static_cast<double>(from) >= 0.5, call, name, "leaves no pixel");
  const double last = (static_cast<double>(to) - 0.5) / scale;
  require(last <= static_cast<double>(from), call, name, "does not fit the sizes");
}

// (self, output_size, align_corners, scales_h, scales_w)
void antialias(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  const at::Tensor size = call.integers(1);
  if (!self.defined() || self.dim() != 4 || !size.defined() || size.numel() != 2 || call.integer(2, 0) != 0) return;
  requireScale(call, "scales_h", 3, self.size(2), size[0].item<int64_t>());
  requireScale(call, "scales_w", 4, self.size(3), size[1].item<int64_t>());
}

// (grad_output, output_size, input_size, align_corners, scales_h, scales_w)
void antialiasBackward(const CallArguments& call) {
  const at::Tensor to = call.integers(1);
  const at::Tensor from = call.integers(2);
  if (!from.defined() || from.numel() != 4 || !to.defined() || to.numel() != 2 || call.integer(3, 0) != 0) return;
  requireScale(call, "scales_h", 4, from[2].item<int64_t>(), to[0].item<int64_t>());
  requireScale(call, "scales_w", 5, from[3].item<int64_t>(), to[1].item<int64_t>());
}

// (self, mask, dim, mask_type): rows by columns, batch by columns, or all of it.
void maskedSoftmax(const CallArguments& call) {
  const at::Tensor self = call.tensor(0);
  if (!self.defined()) return;
  const int64_t type = call.integer(3, 2);
  if (type == 0 || type == 1) {
    requireDims(call, "self", self, 4);
    requireSizes(call, "mask", call.tensor(1), {self.size(type == 0 ? 2 : 0), self.size(3)});
  } else {
    requireSizes(call, "mask", call.tensor(1), self.sizes());
  }
}

// (grad_output, output, mask, dim)
void maskedSoftmaxBackward(const CallArguments& call) {
  const at::Tensor output = call.tensor(1);
  if (!output.defined()) return;
  requireSizes(call, "grad_output", call.tensor(0), output.sizes());
  requireSizes(call, "mask", call.tensor(2), output.sizes());
}

// (self, weight, kernel_size, …): the kernel is read by the size that is said.
void kernelSize(const CallArguments& call) {
  const at::Tensor weight = call.tensor(1);
  const at::Tensor size = call.integers(2);
  if (!weight.defined() || !size.defined()) return;
  require(weight.dim() == size.numel() + 2, call, "kernel_size", "has another number of dimensions than `weight`");
  for (int64_t i = 0; i < size.numel(); ++i) {
    require(weight.size(i + 2) == size[i].item<int64_t>(), call, "kernel_size", "is not the size of `weight`");
  }
}

}  // namespace

const CheckTable& shapeChecks() {
  static const CheckTable table = {
      {"aten::_cdist_backward", cdistBackward},
      {"aten::_pdist_backward", pdistBackward},
      {"aten::_cummax_helper", cumulate},
      {"aten::_cummin_helper", cumulate},
      {"aten::grid_sampler_2d_backward", gridSamplerBackward},
      {"aten::grid_sampler_3d_backward", gridSamplerBackward},
      {"aten::scaled_dot_product_attention", attention},
      {"aten::_scaled_dot_product_flash_attention_for_cpu", flashAttention},
      {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", flashAttentionBackward},
      {"aten::_upsample_bilinear2d_aa", antialias},
      {"aten::_upsample_bicubic2d_aa", antialias},
      {"aten::_upsample_lanczos2d_aa", antialias},
      {"aten::_upsample_bilinear2d_aa_backward", antialiasBackward},
      {"aten::_upsample_bicubic2d_aa_backward", antialiasBackward},
      {"aten::_upsample_lanczos2d_aa_backward", antialiasBackward},
      {"aten::_masked_softmax", maskedSoftmax},
      {"aten::_masked_softmax_backward", maskedSoftmaxBackward},
      {"aten::slow_conv_transpose2d", kernelSize},
      {"aten::slow_conv_transpose3d", kernelSize},
      {"aten::slow_conv_dilated2d", kernelSize},
      {"aten::slow_conv_dilated3d", kernelSize},
      {"aten::slow_conv3d", kernelSize},
      {"aten::slow_conv3d_forward", kernelSize},
      {"aten::thnn_conv2d", kernelSize},
      {"aten::_slow_conv2d_forward", kernelSize},
  };
  return table;
}

}  // namespace pt2
