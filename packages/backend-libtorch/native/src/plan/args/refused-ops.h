// Ops that a program must not be able to call: they reach beyond tensors on the program's word.
#pragma once

#include <string>

namespace pt2 {

// Why an op is refused; null for one that is not.
const char* refusalOf(const std::string& op);

// Failure `libtorch.refused-op` for a refused one.
void checkAllowed(const std::string& op);

}  // namespace pt2
