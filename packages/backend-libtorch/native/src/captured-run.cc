// Records a run, and replays it with other inputs of the same shapes.
#include "captured-run.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

#include <string>

#include "errors.h"
#include "plan/plan-state.h"
#include "threads.h"

namespace pt2 {
namespace {

// Runs before the recording, beside those that were not recorded: lazy initialization is over then, and libraries have
// chosen their algorithms.
constexpr int kWarmUpRuns = 2;

c10::IValue ownCopy(const c10::IValue& value) {
  if (value.isTensor()) return value.toTensor().clone();
  if (value.isTensorList()) {
    c10::List<at::Tensor> copies;
    for (const at::Tensor& tensor : value.toTensorVector()) copies.push_back(tensor.clone());
    return copies;
  }
  return value;
}

Values ownCopies(const Values& values) {
  Values copies;
  copies.reserve(values.size());
  for (const c10::IValue& value : values) copies.push_back(ownCopy(value));
  return copies;
}

[[noreturn]] void refuseInput(size_t index) {
  throw Failure("libtorch.argument", "Input " + std::to_string(index) +
                                         " differs from the captured one in more than the elements of a tensor.");
}

}  // namespace

CapturedRun::CapturedRun(std::shared_ptr<Plan> plan, const Values& inputs, c10::Device device)
    : plan_(std::move(plan)),
      bound_(plan_->bound()),
      stream_(device),
      recorder_(device.is_cpu() ? repeatingRecorder() : cudaRecorder()) {
  // The runs before the recording would draw numbers that no run returns.
  if (plan_->program().random)
    throw Failure("libtorch.capture", "A program that draws random numbers is not captured.");
  // A recording that fails midway leaves PyTorch's allocator and generators as if it went on.
  if (plan_->program().readsElements)
    throw Failure("libtorch.capture", "A program whose numbers or branches depend on elements is not captured.");
  const c10::InferenceMode inference;
  adoptThreads();
  StreamLease::Scope scope(stream_);
  inputs_ = ownCopies(inputs);
  for (int i = 0; i < kWarmUpRuns; ++i) runPlan();
  scope.synchronize();
  try {
    recorder_->record([this] { return runPlan(); });
  } catch (...) {
    Failure failure = toFailure(std::current_exception());
    failure.code = "libtorch.capture";
    throw failure;
  }
}

Values CapturedRun::runPlan() const {
  Step step = start(plan_, inputs_, {})->resume({});
  if (step.kind != Step::Kind::Done) {
    Failure failure("libtorch.capture", "A node that JavaScript runs cannot be captured.");
    failure.graph = step.graph;
    failure.node = step.node;
    throw failure;
  }
  if (!step.written.empty()) {
    throw Failure("libtorch.capture", "A program that writes to its buffers or inputs cannot be captured.");
  }
  return std::move(step.values);
}

void CapturedRun::fill(const Values& inputs) {
  if (inputs.size() != inputs_.size()) {
    throw Failure("libtorch.argument", "The captured run takes " + std::to_string(inputs_.size()) + " inputs.");
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].isTensor() != inputs_[i].isTensor()) refuseInput(i);
    if (!inputs[i].isTensor()) {
      if (inputs[i].tagKind() != inputs_[i].tagKind() || inputs[i] != inputs_[i]) refuseInput(i);
      continue;
    }
    const at::Tensor& given = inputs[i].toTensor();
    const at::Tensor& own = inputs_[i].toTensor();
    if (given.sizes() != own.sizes() || given.scalar_type() != own.scalar_type()) refuseInput(i);
    own.copy_(given, /*non_blocking=*/true);
  }
}

Values CapturedRun::run(const Values& inputs) {
  const std::lock_guard lock(mutex_);
  if (plan_->bound() != bound_)
    throw Failure("libtorch.capture", "A weight was replaced since the capture; capture again.");
  const c10::InferenceMode inference;
  adoptThreads();
  StreamLease::Scope scope(stream_);
  fill(inputs);
  Values results = ownCopies(recorder_->replay());
  scope.synchronize();
  return results;
}

}  // namespace pt2
