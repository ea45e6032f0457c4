// Calls one op by name, with the checks of its arguments.
#include "plan/call.h"

#include <c10/core/InferenceMode.h>

#include "errors.h"
#include "plan/args/argument-failure.h"
#include "plan/args/checks/checks.h"
#include "plan/args/checks/opaque.h"
#include "plan/args/layouts.h"
#include "plan/args/resolve.h"

namespace pt2 {
namespace {

// The values are in slots, in the schema's order.
std::vector<c10::IValue> call(const std::string& op, const std::vector<NamedArg>& args, Slots slots) {
  const c10::OperatorHandle handle = resolveOp(op);
  const ArgumentChecks checks(handle.schema());
  const std::vector<Operand> operands = toOperands(args, handle.schema(), {op, std::nullopt});
  std::vector<c10::IValue> stack(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (read(operands[i], slots, Numbers::Fresh, stack[i])) continue;
    const c10::Argument& argument = handle.schema().arguments()[i];
    refuseArgument(op, argument.name(), "must be " + schemaTypeOf(argument) + ", not a " + stack[i].tagKind());
  }
  requireSameMemory(op, stack);
  OperandLayouts(handle.schema())(stack);
  checks(op, stack);
  handle.callBoxed(stack);
  return stack;
}

}  // namespace

std::vector<c10::IValue> callOp(const std::string& op, const std::vector<NamedArg>& args) {
  const c10::InferenceMode inference;
  try {
    return call(op, args, Slots());
  } catch (...) {
    throw toFailure(std::current_exception());
  }
}

std::vector<c10::IValue> callWithValues(const std::string& op, NamedValues values) {
  std::vector<NamedArg> args;
  std::vector<c10::IValue> slots;
  for (auto& [name, value] : values) {
    ArgSource source;
    source.kind = ArgSource::Kind::Slot;
    source.integer = static_cast<int64_t>(slots.size());
    args.push_back({std::move(name), std::move(source)});
    slots.push_back(std::move(value));
  }
  return call(op, args, Slots(std::move(slots)));
}

}  // namespace pt2
