// Ops that run a graph once.
#include "plan/control-operands.h"
#include "plan/control-ops.h"

namespace pt2 {
namespace {

class CallGraph final : public Control {
 public:
  CallGraph(int32_t graph, Values operands) : next_{graph, std::move(operands)} {}

  Next resume(Values results) override {
    if (next_.graph < 0) return {-1, std::move(results)};
    return std::exchange(next_, Next{});
  }

 private:
  Next next_;
};

}  // namespace

std::unique_ptr<Control> makeCond(ControlArgs args) {
  const bool holds = truthOf(args, valueAt(args, 0));
  return std::make_unique<CallGraph>(graphAt(args, holds ? 0 : 1), takeList(args, 3));
}

std::unique_ptr<Control> makeCallGraph(ControlArgs args) {
  const int32_t graph = graphAt(args, 0);
  Values operands;
  // What stands before the graph, and strings behind it, identify and configure.
  for (size_t i = args.graphPositions.front() + 1; i < args.values.size(); ++i) {
    if (args.values[i].isString() || !args.names[i].empty()) continue;
    if (args.values[i].isList()) {
      append(operands, takeList(args, i));
    } else {
      operands.push_back(std::move(args.values[i]));
    }
  }
  return std::make_unique<CallGraph>(graph, std::move(operands));
}

std::unique_ptr<Control> makeAutocast(ControlArgs args) { return makeCallGraph(std::move(args)); }

}  // namespace pt2
