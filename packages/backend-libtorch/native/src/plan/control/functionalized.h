// Runs ops that write to arguments on clones of these arguments, as auto_functionalized does.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "plan/call.h"

namespace pt2 {

// Returns the results of the op (None if it has none), then the clone of each argument that the op writes to.
std::vector<c10::IValue> callOnClones(const std::string& op, NamedValues args);

// The arguments that the op writes to are described as views of `_all_bases`. Returns the results of the op, then the
// clones of the bases.
std::vector<c10::IValue> callOnBases(const std::string& op, NamedValues args);

}  // namespace pt2
