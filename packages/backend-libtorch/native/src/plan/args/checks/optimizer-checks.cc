#include <algorithm>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

using Tensors = std::vector<at::Tensor>;

void requireLength(const CallArguments& call, const char* name, const Tensors& list, size_t length) {
  if (list.size() == length) return;
  refuseArgument(call, name, "has " + std::to_string(list.size()) + " tensors, and `self` has " + std::to_string(length));
}

// Walked with those of `self`, as if each were one block of memory.
void requireBlocks(const CallArguments& call, const char* name, size_t at, const Tensors& self) {
  const Tensors list = call.tensors(at);
  requireLength(call, name, list, self.size());
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].defined() || !self[i].defined()) continue;
    requireSizes(call, name, list[i], self[i].sizes());
    if (!list[i].is_non_overlapping_and_dense()) refuseArgument(call, name, "has a tensor that is not dense");
  }
}

void requireSteps(const CallArguments& call, size_t at, const Tensors& self) {
  const Tensors steps = call.tensors(at);
  requireLength(call, "state_steps", steps, self.size());
  for (const at::Tensor& step : steps) requireCount(call, "state_steps", step, 1);
}

// One float each, read through a pointer.
void requireScales(const CallArguments& call, size_t at) {
  requireCount(call, "grad_scale", call.tensor(at), 1);
  requireCount(call, "found_inf", call.tensor(at + 1), 1);
}

// (self, grads, exp_avgs, exp_avg_sqs, max_exp_avg_sqs, state_steps, *, lr, beta1, beta2, weight_decay, eps, amsgrad,
// maximize, grad_scale, found_inf)
void adam(const CallArguments& call) {
  const Tensors self = call.tensors(0);
  requireBlocks(call, "self", 0, self);
  requireBlocks(call, "grads", 1, self);
  requireBlocks(call, "exp_avgs", 2, self);
  requireBlocks(call, "exp_avg_sqs", 3, self);
  if (call.integer(11, 0) != 0) requireBlocks(call, "max_exp_avg_sqs", 4, self);
  requireSteps(call, 5, self);
  requireScales(call, 13);
}

// (self, grads, state_sums, state_steps, *, lr, lr_decay, weight_decay, eps, maximize, grad_scale, found_inf)
void adagrad(const CallArguments& call) {
  const Tensors self = call.tensors(0);
  requireBlocks(call, "self", 0, self);
  requireBlocks(call, "grads", 1, self);
  requireBlocks(call, "state_sums", 2, self);
  requireSteps(call, 3, self);
  requireScales(call, 9);
}

// (self, grads, momentum_buffer_list, *, weight_decay, momentum, lr, dampening, nesterov, maximize, is_first_step,
// grad_scale, found_inf)
void sgd(const CallArguments& call) {
  const Tensors self = call.tensors(0);
  requireBlocks(call, "self", 0, self);
  requireBlocks(call, "grads", 1, self);
  if (!call.tensors(2).empty()) requireBlocks(call, "momentum_buffer_list", 2, self);
  requireScales(call, 10);
}

}  // namespace

const CheckTable& optimizerChecks() {
  static const CheckTable table = {
      {"aten::_fused_adam", adam},       {"aten::_fused_adam_", adam},       {"aten::_fused_adamw", adam},
      {"aten::_fused_adamw_", adam},     {"aten::_fused_adagrad", adagrad},  {"aten::_fused_adagrad_", adagrad},
      {"aten::_fused_sgd", sgd},         {"aten::_fused_sgd_", sgd},
  };
  return table;
}

}  // namespace pt2
