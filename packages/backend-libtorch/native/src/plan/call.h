// One op by name, without a plan.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/source.h"

namespace pt2 {

// Arguments by schema name; the rest have their defaults. What goes wrong is a Failure.
std::vector<c10::IValue> callOp(const std::string& op, std::vector<NamedArg> args);

using NamedValues = std::vector<std::pair<std::string, c10::IValue>>;

// The same with values that are there already; libtorch's exceptions come through.
std::vector<c10::IValue> callWithValues(const std::string& op, NamedValues args);

}  // namespace pt2
