// Runs the higher-order ops that call another op and run no graph.
#include <ATen/core/Tensor.h>

#include "plan/args/resolve.h"
#include "plan/call.h"
#include "plan/control/functionalized.h"
#include "plan/control/operands.h"
#include "plan/control/ops.h"

namespace pt2 {
namespace {

// The results are computed already, and no graph is run.
class Ready final : public Control {
 public:
  explicit Ready(Values results) : results_(std::move(results)) {}
  Next resume(Values) override { return {std::nullopt, std::move(results_)}; }

 private:
  Values results_;
};

std::string opAt(const ControlArgs& args, size_t index) {
  const c10::IValue& op = valueAt(args, index);
  if (!op.isString()) refuseControl(args, "operand " + std::to_string(index) + " does not name an op");
  return op.toStringRef();
}

// Operands without names are in the schema's order.
NamedValues namedFrom(const ControlArgs& args, size_t first, const std::string& op) {
  const c10::FunctionSchema& schema = resolveOp(op).schema();
  NamedValues named;
  for (size_t i = first; i < args.values.size(); ++i) {
    const size_t position = i - first;
    const bool positional = args.names[i].empty();
    if (positional && position >= schema.arguments().size()) refuseControl(args, "there are too many operands");
    named.emplace_back(positional ? schema.arguments()[position].name() : args.names[i], args.values[i]);
  }
  return named;
}

}  // namespace

std::unique_ptr<Control> makeAutoFunctionalized(ControlArgs args) {
  const std::string op = opAt(args, 0);
  return std::make_unique<Ready>(callOnClones(op, namedFrom(args, 1, op)));
}

std::unique_ptr<Control> makeAutoFunctionalizedV2(ControlArgs args) {
  const std::string op = opAt(args, 0);
  return std::make_unique<Ready>(callOnBases(op, namedFrom(args, 1, op)));
}

std::unique_ptr<Control> makeWithEffects(ControlArgs args) {
  const std::string op = opAt(args, 1);
  Values results = {valueAt(args, 0)};
  append(results, callWithValues(op, namedFrom(args, 2, op)));
  return std::make_unique<Ready>(std::move(results));
}

// Runs the op on operands converted to a dtype that holds theirs and the result's, as PyTorch's dense kernel does.
std::unique_ptr<Control> makeOutDtype(ControlArgs args) {
  const std::string op = opAt(args, 0);
  const c10::IValue& dtype = valueAt(args, 1);
  if (!dtype.isInt()) refuseControl(args, "operand 1 is no dtype");
  const auto wanted = static_cast<c10::ScalarType>(dtype.toInt());
  NamedValues named = namedFrom(args, 2, op);
  c10::ScalarType wide = wanted;
  for (const auto& [name, value] : named) {
    if (value.isTensor()) wide = c10::promoteTypes(wide, value.toTensor().scalar_type());
  }
  for (auto& [name, value] : named) {
    if (value.isTensor()) value = value.toTensor().to(wide);
  }
  Values results = callWithValues(op, std::move(named));
  for (c10::IValue& result : results) {
    if (result.isTensor()) result = result.toTensor().to(wanted);
  }
  return std::make_unique<Ready>(std::move(results));
}

}  // namespace pt2
