// Calls one op by name, without a plan.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <string>
#include <utility>
#include <vector>

#include "plan/source.h"

namespace pt2 {

// Takes arguments by schema name; the other ones have their defaults. Every failure is thrown as a Failure.
std::vector<c10::IValue> callOp(const std::string& op, const std::vector<NamedArg>& args);

using NamedValues = std::vector<std::pair<std::string, c10::IValue>>;

// Takes values that are there already; exceptions of libtorch pass through.
std::vector<c10::IValue> callWithValues(const std::string& op, NamedValues args);

}  // namespace pt2
