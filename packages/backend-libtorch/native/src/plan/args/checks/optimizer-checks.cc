// Checks the lists of tensors that fused optimizers walk side by side.
#include <algorithm>
#include <string>
#include <vector>

#include "plan/args/checks/require.h"
#include "plan/args/checks/tables.h"

namespace pt2 {
namespace {

using Tensors = std::vector<at::Tensor>;

void requireLength(const Arg& list, size_t count, size_t length) {
  if (count == length) return;
  list.refuse("has " + std::to_string(count) + " tensors, and `self` has " + std::to_string(length));
}

// The kernel walks the tensors with those of `self`, as if each were one block of memory.
void requireBlocks(const Arg& list, const Tensors& self) {
  const Tensors tensors = list.tensors();
  requireLength(list, tensors.size(), self.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined() || !self[i].defined()) continue;
    requireSizes(list, tensors[i], self[i].sizes());
    list.require(tensors[i].is_non_overlapping_and_dense(), "has a tensor that is not dense");
  }
}

// The first argument is `self`.
void blocks(Args lists) {
  const Tensors self = lists.front().tensors();
  for (const Arg& list : lists) requireBlocks(list, self);
}

void amsgradBlocks(const Arg& self, const Arg& maxExpAvgSqs, const Arg& amsgrad) {
  if (amsgrad.isTrue()) requireBlocks(maxExpAvgSqs, self.tensors());
}

void momentumBlocks(const Arg& self, const Arg& momentumBuffers) {
  if (!momentumBuffers.tensors().empty()) requireBlocks(momentumBuffers, self.tensors());
}

void stepCounts(const Arg& self, const Arg& stateSteps) {
  const Tensors steps = stateSteps.tensors();
  requireLength(stateSteps, steps.size(), self.tensors().size());
  for (const at::Tensor& step : steps) requireCount(stateSteps, step, 1);
}

// The kernel reads one float through a pointer.
void oneElement(Args arguments) {
  for (const Arg& argument : arguments) requireCount(argument, 1);
}

}  // namespace

const CheckTable& optimizerChecks() {
  static const CheckTable table = {
      {{"aten::_fused_adam", "aten::_fused_adam.out", "aten::_fused_adam.tensor_lr", "aten::_fused_adam.tensor_lr_out",
        "aten::_fused_adam_", "aten::_fused_adam_.tensor_lr", "aten::_fused_adamw", "aten::_fused_adamw.out",
        "aten::_fused_adamw.tensor_lr", "aten::_fused_adamw.tensor_lr_out", "aten::_fused_adamw_",
        "aten::_fused_adamw_.tensor_lr"},
       {reads<blocks>("self", "grads", "exp_avgs", "exp_avg_sqs"),
        reads<amsgradBlocks>("self", "max_exp_avg_sqs", "amsgrad"), reads<stepCounts>("self", "state_steps"),
        reads<oneElement>("grad_scale", "found_inf")}},
      {{"aten::_fused_adagrad", "aten::_fused_adagrad.out", "aten::_fused_adagrad.tensor_lr",
        "aten::_fused_adagrad.tensor_lr_out", "aten::_fused_adagrad_", "aten::_fused_adagrad_.tensor_lr"},
       {reads<blocks>("self", "grads", "state_sums"), reads<stepCounts>("self", "state_steps"),
        reads<oneElement>("grad_scale", "found_inf")}},
      {{"aten::_fused_sgd", "aten::_fused_sgd.out", "aten::_fused_sgd.tensor_lr", "aten::_fused_sgd.tensor_lr_out",
        "aten::_fused_sgd_", "aten::_fused_sgd_.tensor_lr"},
       {reads<blocks>("self", "grads"), reads<momentumBlocks>("self", "momentum_buffer_list"),
        reads<oneElement>("grad_scale", "found_inf")}},
  };
  return table;
}

}  // namespace pt2
