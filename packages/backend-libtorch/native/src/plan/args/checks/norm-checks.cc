#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

int64_t channelsOf(const at::Tensor& input) { return input.dim() < 2 ? 0 : input.size(1); }

// (input, weight, bias, running_mean, running_var, …)
void batchNorm(const CallArguments& call) {
  if (!call.has({0})) return;
  const bool statistics = call.op.find("no_stats") == std::string::npos;
  if (!statistics) require(call.integer(3, 0) != 0, call, "training", "must be true: there are no statistics");
  const bool infers = call.op.find("no_update") != std::string::npos || (statistics && call.integer(5, 1) == 0);
  require(!infers || call.has({3, 4}), call, "running_mean", "and its variance are needed");
  const int64_t channels = channelsOf(call.tensor(0));
  requireCount(call, "weight", call.tensor(1), channels);
  requireCount(call, "bias", call.tensor(2), channels);
  requireCount(call, "running_mean", call.tensor(3), channels);
  requireCount(call, "running_var", call.tensor(4), channels);
}

// (grad_out, input, weight, running_mean, running_var, save_mean, save_invstd, …)
void batchNormBackward(const CallArguments& call) {
  if (!call.has({0, 1})) return;
  const at::Tensor input = call.tensor(1);
  const int64_t channels = channelsOf(input);
  require(input.numel() > 0, call, "input", "is empty");
  requireSizes(call, "grad_out", call.tensor(0), input.sizes());
  requireCount(call, "weight", call.tensor(2), channels);
  requireCount(call, "running_mean", call.tensor(3), channels);
  requireCount(call, "running_var", call.tensor(4), channels);
  requireCount(call, "save_mean", call.tensor(5), channels, /*orNone=*/true);
  requireCount(call, "save_invstd", call.tensor(6), channels, /*orNone=*/true);
  const bool training = call.integer(7, 0) != 0;
  for (const size_t place : {training ? size_t{5} : size_t{3}, training ? size_t{6} : size_t{4}}) {
    const bool there = call.tensor(place).defined() && call.tensor(place).numel() == channels;
    require(there, call, training ? "save_mean" : "running_mean", "and its variance are needed");
  }
}

// (input, running_mean, running_var, momentum)
void updateStatistics(const CallArguments& call) {
  if (!call.tensor(0).defined()) return;
  const int64_t channels = channelsOf(call.tensor(0));
  requireCount(call, "running_mean", call.tensor(1), channels);
  requireCount(call, "running_var", call.tensor(2), channels);
}

// (input, weight, bias, N, C, HxW, group, eps)
void groupNorm(const CallArguments& call) {
  const int64_t n = call.integer(3, 0), c = call.integer(4, 0), group = call.integer(6, 0);
  require(group > 0 && c >= 0 && c % group == 0, call, "group", "does not divide the channels");
  requirePlain(call, 0, 3);
  requireCount(call, "input", call.tensor(0), n * c * call.integer(5, 0));
  requireCount(call, "weight", call.tensor(1), c);
  requireCount(call, "bias", call.tensor(2), c);
}

// (grad_out, input, mean, rstd, weight, N, C, HxW, group, …)
void groupNormBackward(const CallArguments& call) {
  const at::Tensor input = call.tensor(1);
  if (!input.defined()) return;
  const int64_t n = call.integer(5, 0), c = call.integer(6, 0), group = call.integer(8, 0);
  require(group > 0 && c >= 0 && c % group == 0, call, "group", "does not divide the channels");
  requireCount(call, "input", input, n * c * call.integer(7, 0));
  requireSizes(call, "grad_out", call.tensor(0), input.sizes());
  requireCount(call, "mean", call.tensor(2), n * group);
  requireCount(call, "rstd", call.tensor(3), n * group);
  requireCount(call, "weight", call.tensor(4), c);
  for (const size_t place : {size_t{0}, size_t{1}, size_t{2}, size_t{3}}) {
    const at::Tensor tensor = call.tensor(place);
    require(!tensor.defined() || tensor.is_non_overlapping_and_dense(), call, place == 0 ? "grad_out" : "input", "is not dense");
  }
}

// (grad_out, input, normalized_shape, mean, rstd, …)
void layerNormBackward(const CallArguments& call) {
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
void weightNorm(const CallArguments& call) {
  const at::Tensor v = call.tensor(0);
  if (!v.defined()) return;
  require(v.numel() > 0, call, "v", "has no elements");
  if (v.dim() > 0) requireNorms(call, "g", v, 1, call.integer(2, 0));
  // The op without `_interface` makes them so.
  const bool dense = call.op.find("_interface") == std::string::npos || (v.is_contiguous() && call.has({1}) && call.tensor(1).is_contiguous());
  require(dense, call, "g", "and `v` must be contiguous");
}

// (grad_w, saved_v, saved_g, saved_norms, dim)
void weightNormBackward(const CallArguments& call) {
  const at::Tensor v = call.tensor(1);
  if (!v.defined() || v.dim() == 0) return;
  require(v.numel() > 0, call, "saved_v", "has no elements");
  requireSizes(call, "grad_w", call.tensor(0), v.sizes());
  requireNorms(call, "saved_g", v, 2, call.integer(4, 0));
  requireNorms(call, "saved_norms", v, 3, call.integer(4, 0));
  for (const size_t place : {size_t{0}, size_t{1}, size_t{2}, size_t{3}}) {
    const at::Tensor tensor = call.tensor(place);
    require(!tensor.defined() || tensor.is_contiguous(), call, "saved_v", "and all others must be contiguous");
  }
}

}  // namespace

const CheckTable& normChecks() {
  static const CheckTable table = {
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
      {"aten::batch_norm_update_stats", updateStatistics},
      {"aten::native_group_norm", groupNorm},
      {"aten::native_group_norm_backward", groupNormBackward},
  };
  return table;
}

}  // namespace pt2
