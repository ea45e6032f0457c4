// Runs the higher-order ops that run one graph once.
#include "plan/control/operands.h"
#include "plan/control/ops.h"

namespace pt2 {
namespace {

class CallGraph final : public Control {
 public:
  CallGraph(size_t graph, Values operands, std::optional<AutocastMode> autocast = std::nullopt)
      : next_{graph, std::move(operands), autocast} {}

  Next resume(Values results) override {
    if (!next_.graph.has_value()) return {std::nullopt, std::move(results)};
    return std::exchange(next_, Next{});
  }

 private:
  Next next_;
};

// Operands before the graph, names, and strings after it identify or configure the op: they are no inputs of the graph.
Values operandsBehindGraph(ControlArgs& args) {
  Values operands;
  for (size_t i = args.graphPositions.front() + 1; i < args.values.size(); ++i) {
    if (args.values[i].isString() || !args.names[i].empty()) continue;
    if (args.values[i].isList()) {
      append(operands, takeList(args, i));
    } else {
      operands.push_back(std::move(args.values[i]));
    }
  }
  return operands;
}

}  // namespace

std::unique_ptr<Control> makeCond(ControlArgs args) {
  const bool holds = truthOf(args, valueAt(args, 0));
  return std::make_unique<CallGraph>(graphAt(args, holds ? 0 : 1), takeList(args, 3));
}

std::unique_ptr<Control> makeCallGraph(ControlArgs args) {
  const size_t graph = graphAt(args, 0);
  return std::make_unique<CallGraph>(graph, operandsBehindGraph(args));
}

std::unique_ptr<Control> makeAutocast(ControlArgs args) {
  const size_t graph = graphAt(args, 0);
  const c10::IValue& dtype = valueAt(args, 1);
  const c10::IValue& cache = valueAt(args, 3);
  AutocastMode mode;
  mode.device = args.device.type();
  mode.enabled = truthOf(args, valueAt(args, 2));
  if (dtype.isInt()) mode.dtype = static_cast<c10::ScalarType>(dtype.toInt());
  if (cache.isBool()) mode.cache = cache.toBool();
  return std::make_unique<CallGraph>(graph, operandsBehindGraph(args), mode);
}

}  // namespace pt2
