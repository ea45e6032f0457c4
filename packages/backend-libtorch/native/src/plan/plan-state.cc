// Compiles plans, and replaces their bound inputs.
#include "plan/plan-state.h"

#include <ATen/Context.h>

#include <string>
#include <utility>

#include "plan/compile/compile.h"
#include "plan/compile/input-writes.h"
#include "plan/plan-error.h"

namespace pt2 {
namespace {

void collectNumbers(const std::vector<Operand>& operands, std::unordered_set<StorageKey>& storages) {
  for (const Operand& operand : operands) {
    if (operand.kind == Operand::Kind::Number) storages.insert(storageOf(operand.constant.toTensor()));
    collectNumbers(operand.items, storages);
  }
}

}  // namespace

Plan::Plan(Program program, std::vector<at::Tensor> bound)
    : program_(std::move(program)),
      bound_(std::make_shared<BoundInputs>(std::move(bound))),
      written_(program_.graphs.front().inputs.size()) {
  for (const Graph& graph : program_.graphs) {
    for (const Node& node : graph.nodes) collectNumbers(node.operands, numberStorages_);
  }
  if (runsDirectly(*this)) memory_ = std::make_unique<RunMemory>();
  if (!program_.writes) return;
  const std::vector<bool> written = writtenInputs(program_.graphs.front());
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i]) markWritten(i);
  }
}

std::shared_ptr<const BoundInputs> Plan::bound() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return bound_;
}

void Plan::bind(size_t input, const at::Tensor& tensor) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (input >= bound_->tensors().size() || !bound_->tensors()[input].defined() || !tensor.defined()) {
    refusePlan("input " + std::to_string(input) + " is not a bound one");
  }
  // Runs that have begun keep the inputs with which they began.
  if (bound_.use_count() > 1) bound_ = std::make_shared<BoundInputs>(*bound_);
  bound_->replace(input, tensor);
}

std::shared_ptr<Plan> compile(PlanSource source, std::vector<at::Tensor> bound) {
  // Kernels do not check the indices of sparse tensors, and here a program gives them.
  static std::once_flag once;
  std::call_once(once, [] { at::globalContext().setCheckSparseTensorInvariants(true); });
  if (source.graphs.empty() || source.graphs.front().inputs.size() != bound.size()) {
    refusePlan("the root graph's inputs and the bound tensors are not one to one");
  }
  return std::make_shared<Plan>(compileProgram(std::move(source)), std::move(bound));
}

bool runsDirectly(const Plan& plan) {
  const Program& program = plan.program();
  if (!program.device.is_cpu() || program.writes) return false;
  for (const Graph& graph : program.graphs) {
    for (const Node& node : graph.nodes) {
      if (std::holds_alternative<HostNode>(node.kind) || node.op == "higher_order::while_loop") return false;
    }
  }
  return true;
}

size_t boundBytes(const Plan& plan) { return plan.bound()->bytes(); }

void bind(Plan& plan, size_t input, at::Tensor tensor) { plan.bind(input, tensor); }

}  // namespace pt2
