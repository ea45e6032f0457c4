// Ops that write to arguments, run on clones of them: what auto_functionalized means.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

#include "plan/call.h"

namespace pt2 {

// Returns of the op (None for none), then the clone of each argument that it writes to.
std::vector<c10::IValue> callOnClones(const std::string& op, NamedValues args);

// Arguments that it writes to are described as views of `_all_bases`. Returns of the op, then the clones of the bases.
std::vector<c10::IValue> callOnBases(const std::string& op, NamedValues args);

}  // namespace pt2
