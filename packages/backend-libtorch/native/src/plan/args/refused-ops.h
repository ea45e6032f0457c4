// Ops that a program must not call: they act on more than tensors, as the program tells them to.
#pragma once

#include <string>

namespace pt2 {

// Returns why an op is refused; null for an op that is not.
const char* refusalOf(const std::string& op);

// Throws Failure `libtorch.refused-op` for a refused op.
void checkAllowed(const std::string& op);

}  // namespace pt2
