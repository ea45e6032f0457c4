// The failure of a call whose argument does not fit the op.
#pragma once

#include <string>

namespace pt2 {

// Throws Failure `libtorch.argument`, which names the op and the argument. `what` continues the sentence "argument `x`
// …".
[[noreturn]] void refuseArgument(const std::string& op, const std::string& name, const std::string& what);

}  // namespace pt2
