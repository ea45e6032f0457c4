// Finds an op in the dispatcher, and puts named arguments into the order of its schema.
#include "plan/args/resolve.h"

#include <algorithm>

#include "failure.h"
#include "plan/args/argument-failure.h"
#include "plan/args/refused-ops.h"

namespace pt2 {
namespace {

void checkNames(const std::vector<NamedArg>& args, const c10::FunctionSchema& schema, const std::string& op) {
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& name = args[i].name;
    if (!schema.argumentIndexWithName(name).has_value()) {
      refuseArgument(op, name, "is not in the schema " + c10::toString(schema));
    }
    const bool twice = std::any_of(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(i),
                                   [&](const NamedArg& earlier) { return earlier.name == name; });
    if (twice) refuseArgument(op, name, "is given twice");
  }
}

// Returns whether no argument is a tensor, so that the device of the result cannot come from an argument.
bool isFactory(const c10::FunctionSchema& schema) {
  return std::none_of(schema.arguments().begin(), schema.arguments().end(), [](const c10::Argument& argument) {
    const ArgType type = argTypeOf(argument);
    return type.kind == ArgKind::Tensor || (type.element && type.element->kind == ArgKind::Tensor);
  });
}

Operand defaultOperand(const c10::Argument& argument, const c10::FunctionSchema& schema, const SchemaContext& context) {
  Operand operand;
  if (argTypeOf(argument).kind == ArgKind::Device && context.device.has_value() && isFactory(schema)) {
    operand.constant = *context.device;
  } else if (argument.default_value().has_value()) {
    operand.constant = *argument.default_value();
  } else {
    refuseArgument(context.op, argument.name(), "is missing; the schema is " + c10::toString(schema));
  }
  return operand;
}

}  // namespace

c10::OperatorHandle resolveOp(const std::string& op) {
  checkAllowed(op);
  const size_t colon = op.find("::");
  const size_t dot = op.find('.', colon == std::string::npos ? 0 : colon);
  const std::string overload = dot == std::string::npos ? "" : op.substr(dot + 1);
  const auto handle = c10::Dispatcher::singleton().findSchema({op.substr(0, dot), overload});
  if (handle.has_value() && !handle->schema().is_vararg() && !handle->schema().is_varret()) return *handle;
  throw Failure("libtorch.no-op",
                "libtorch has no op `" + op + "`. Load the library that registers it, or give a handler for it.");
}

std::vector<Operand> toOperands(const std::vector<NamedArg>& args, const c10::FunctionSchema& schema,
                                const SchemaContext& context) {
  checkNames(args, schema, context.op);
  std::vector<Operand> operands;
  operands.reserve(schema.arguments().size());
  for (const c10::Argument& argument : schema.arguments()) {
    const auto given =
        std::find_if(args.begin(), args.end(), [&](const NamedArg& arg) { return arg.name == argument.name(); });
    // Pinned memory only makes transfers faster and needs an accelerator; the program may run where there is none.
    const bool pinned = context.device.has_value() && argument.name() == "pin_memory";
    const bool absent = given == args.end() || pinned ||
                        (given->arg.kind == ArgSource::Kind::None && argTypeOf(argument).kind == ArgKind::Device);
    operands.push_back(absent ? defaultOperand(argument, schema, context) : toOperand(given->arg, argument, context));
  }
  return operands;
}

}  // namespace pt2
