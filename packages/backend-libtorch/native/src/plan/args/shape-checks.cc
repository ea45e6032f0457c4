#include "plan/args/shape-checks.h"

#include <ATen/ExpandUtils.h>

#include <string>
#include <unordered_map>

#include "plan/args/require-indices.h"

namespace pt2 {
namespace {

// The arguments at some places, if all of them are tensors that can be looked at.
template <size_t Count>
bool readable(const CallArguments& call, const size_t (&places)[Count]) {
  for (const size_t place : places) {
    if (!call.tensor(place).defined()) return false;
  }
  return true;
}

int64_t channelsOf(const at::Tensor& input) { return input.dim() < 2 ? 0 : input.size(1); }

// (input, weight, bias, running_mean, running_var, …)
void batchNorm(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  if (!readable(call, {0})) return;
  const int64_t channels = channelsOf(call.tensor(0));
  requireCount(call, "weight", call.tensor(1), channels);
  requireCount(call, "bias", call.tensor(2), channels);
  requireCount(call, "running_mean", call.tensor(3), channels);
  requireCount(call, "running_var", call.tensor(4), channels);
}

// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, …)
void batchNormBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  if (!readable(call, {0, 1})) return;
  const at::Tensor input = call.tensor(1);
  const int64_t channels = channelsOf(input);
  requireSizes(call, "grad_out", call.tensor(0), input.sizes());
  requireCount(call, "weight", call.tensor(2), channels);
  requireCount(call, "running_mean", call.tensor(3), channels);
  requireCount(call, "running_var", call.tensor(4), channels);
  requireCount(call, "save_mean", call.tensor(5), channels, /*orNone=*/true);
  requireCount(call, "save_invstd", call.tensor(6), channels, /*orNone=*/true);
}

// (grad_out, input, normalized_shape, mean, rstd, …)
void layerNormBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor input = call.tensor(1);
  const at::Tensor normalized = call.integers(2);
  if (!input.defined() || !normalized.defined() || normalized.numel() > input.dim()) return;
  int64_t rows = 1;
  for (int64_t dim = 0; dim < input.dim() - normalized.numel(); ++dim) rows *= input.size(dim);
  requireSizes(call, "grad_out", call.tensor(0), input.sizes());
  requireCount(call, "mean", call.tensor(3), rows);
  requireCount(call, "rstd", call.tensor(4), rows);
}

// The norm is taken over all dimensions but the first or the last.
void requireNorms(const CallArguments& call, const char* name, const at::Tensor& v, size_t place, int64_t dim) {
  if (dim == 0 || dim == v.dim() - 1) requireCount(call, name, call.tensor(place), v.size(dim));
}

// (v, g, dim)
void weightNorm(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor v = call.tensor(0);
  if (v.defined() && v.dim() > 0) requireNorms(call, "g", v, 1, call.integer(2, 0));
}

// (grad_w, saved_v, saved_g, saved_norms, dim)
void weightNormBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor v = call.tensor(1);
  if (!v.defined() || v.dim() == 0) return;
  requireSizes(call, "grad_w", call.tensor(0), v.sizes());
  requireNorms(call, "saved_g", v, 2, call.integer(4, 0));
  requireNorms(call, "saved_norms", v, 3, call.integer(4, 0));
}

// (grad, x1, x2, p, cdist)
void cdistBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
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
void pdistBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor self = call.tensor(1);
  if (!self.defined() || self.dim() == 0) return;
  const int64_t pairs = self.size(0) * (self.size(0) - 1) / 2;
  requireCount(call, "grad", call.tensor(0), pairs);
  requireCount(call, "pdist", call.tensor(3), pairs);
}

// (self, values, indices, dim)
void cumulate(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  if (!readable(call, {0, 1, 2})) return;
  requireSizes(call, "values", call.tensor(1), call.tensor(0).sizes());
  requireSizes(call, "indices", call.tensor(2), call.tensor(0).sizes());
}

// (grad_output, input, grid, …)
void gridSamplerBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor input = call.tensor(1);
  const at::Tensor grid = call.tensor(2);
  if (!input.defined() || !grid.defined() || input.dim() < 4 || grid.dim() != input.dim()) return;
  std::vector<int64_t> sizes = {input.size(0), input.size(1)};
  for (int64_t dim = 1; dim + 1 < grid.dim(); ++dim) sizes.push_back(grid.size(dim));
  requireSizes(call, "grad_output", call.tensor(0), sizes);
}

// (grad_output, self): all but the planes agree.
template <int64_t Dims>
void adaptiveAverageBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  if (!readable(call, {0, 1})) return;
  const at::Tensor grad = call.tensor(0);
  std::vector<int64_t> sizes = call.tensor(1).sizes().vec();
  for (int64_t dim = 1; dim <= Dims && grad.dim() == static_cast<int64_t>(sizes.size()); ++dim) {
    sizes[sizes.size() - static_cast<size_t>(dim)] = grad.size(-dim);
  }
  requireSizes(call, "grad_output", grad, sizes);
}

// A value for each key. Heads of queries may share one of keys.
void requireKeys(const CallArguments& call, const at::Tensor& key, const at::Tensor& value) {
  if (!key.defined() || !value.defined() || key.dim() < 2 || value.dim() < 2 || key.size(-2) == value.size(-2)) return;
  refuseArgument(call, "value", "has " + std::to_string(value.size(-2)) + " rows, and `key` has " +
                                    std::to_string(key.size(-2)));
}

// (query, key, value, …)
void attention(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  requireKeys(call, call.tensor(1), call.tensor(2));
}

// The kernel for the CPU: nothing is broadcast. (query, key, value, …) from a place on.
void requireHeads(const CallArguments& call, size_t query) {
  if (!readable(call, {query, query + 1, query + 2})) return;
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

void flashAttention(const std::string& op, const std::vector<c10::IValue>& values) {
  requireHeads({op, values}, 0);
}

// (grad_out, query, key, value, out, logsumexp, …)
void flashAttentionBackward(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  requireHeads(call, 1);
  const at::Tensor query = call.tensor(1);
  if (!query.defined() || query.dim() != 4) return;
  requireSizes(call, "grad_out", call.tensor(0), query.sizes());
  requireSizes(call, "out", call.tensor(4), query.sizes());
  requireCount(call, "logsumexp", call.tensor(5), query.size(0) * query.size(1) * query.size(2));
}

// (self, output_size, align_corners, scales_h, scales_w): so little scale leaves no pixel, and filters without bound.
void antialias(const std::string& op, const std::vector<c10::IValue>& values) {
  const CallArguments call{op, values};
  const at::Tensor self = call.tensor(0);
  if (!self.defined() || self.dim() != 4 || values.size() < 5) return;
  for (const size_t place : {size_t{3}, size_t{4}}) {
    if (!values[place].isDouble()) continue;
    const double scale = values[place].toDouble();
    const auto size = static_cast<double>(self.size(static_cast<int64_t>(place) - 1));
    if (scale > 0 && scale * size < 0.5) refuseArgument(call, place == 3 ? "scales_h" : "scales_w", "leaves no pixel");
  }
}

const std::unordered_map<std::string_view, IndexCheck> kShapeChecks = {
    {"aten::native_batch_norm", batchNorm},
    {"aten::_native_batch_norm_legit", batchNorm},
    {"aten::_native_batch_norm_legit_functional", batchNorm},
    {"aten::_native_batch_norm_legit_no_training", batchNorm},
    {"aten::_batch_norm_with_update", batchNorm},
    {"aten::_batch_norm_with_update_functional", batchNorm},
    {"aten::_batch_norm_no_update", batchNorm},
    {"aten::native_batch_norm_backward", batchNormBackward},
    {"aten::batch_norm_backward", batchNormBackward},
    {"aten::native_layer_norm_backward", layerNormBackward},
    {"aten::_weight_norm", weightNorm},
    {"aten::_weight_norm_interface", weightNorm},
    {"aten::_weight_norm_interface_backward", weightNormBackward},
    {"aten::_cdist_backward", cdistBackward},
    {"aten::_pdist_backward", pdistBackward},
    {"aten::_cummax_helper", cumulate},
    {"aten::_cummin_helper", cumulate},
    {"aten::grid_sampler_2d_backward", gridSamplerBackward},
    {"aten::grid_sampler_3d_backward", gridSamplerBackward},
    {"aten::_adaptive_avg_pool2d_backward", adaptiveAverageBackward<2>},
    {"aten::_adaptive_avg_pool3d_backward", adaptiveAverageBackward<3>},
    {"aten::scaled_dot_product_attention", attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", flashAttention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", flashAttentionBackward},
    {"aten::_upsample_bilinear2d_aa", antialias},
    {"aten::_upsample_bicubic2d_aa", antialias},
};

}  // namespace

IndexCheck findShapeCheck(std::string_view op) {
  const auto found = kShapeChecks.find(op);
  return found == kShapeChecks.end() ? nullptr : found->second;
}

}  // namespace pt2
