// Runs while_loop: one graph computes the condition, and the other one the carried values.
#include <ATen/core/Tensor.h>
#include <ATen/ops/stack.h>

#include "plan/control/operands.h"
#include "plan/control/ops.h"

namespace pt2 {
namespace {

enum class Keep : uint8_t { Last, Every };

class WhileLoop final : public Control {
 public:
  WhileLoop(ControlArgs args, Keep keep)
      : args_(std::move(args)), keep_(keep), carried_(takeList(args_, 2)), additional_(takeList(args_, 3)) {}

  Next resume(Values results) override {
    if (deciding_) {
      if (results.empty()) refuseControl(args_, "the condition gives nothing");
      deciding_ = false;
      if (!truthOf(args_, results.front())) return {std::nullopt, this->results()};
      return call(1);
    }
    if (started_) {
      if (results.size() != carried_.size()) refuseControl(args_, "the body does not give what is carried");
      carried_ = std::move(results);
      if (keep_ == Keep::Every) iterations_.push_back(carried_);
    }
    started_ = true;
    deciding_ = true;
    return call(0);
  }

 private:
  Next call(size_t graph) {
    Values inputs = carried_;
    append(inputs, additional_);
    return {graphAt(args_, graph), std::move(inputs)};
  }

  Values results() {
    if (keep_ == Keep::Last) return std::move(carried_);
    if (!iterations_.empty()) return stackRows(args_, iterations_);
    return stackRows(args_, {carried_});
  }

  ControlArgs args_;
  Keep keep_;
  Values carried_;
  Values additional_;
  std::vector<Values> iterations_;
  bool started_ = false;
  bool deciding_ = false;
};

}  // namespace

std::unique_ptr<Control> makeWhileLoop(ControlArgs args) {
  return std::make_unique<WhileLoop>(std::move(args), Keep::Last);
}

std::unique_ptr<Control> makeWhileLoopStackOutput(ControlArgs args) {
  return std::make_unique<WhileLoop>(std::move(args), Keep::Every);
}

}  // namespace pt2
