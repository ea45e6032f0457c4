// Indices, lengths and shapes that some of libtorch's CPU kernels take without looking: they would read or write outside
// of their tensors. They are checked here before the kernel runs.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

#include "plan/args/checks/require.h"

namespace pt2 {

// Failure `libtorch.argument` for what the kernel must not be given.
using ArgumentCheck = void (*)(const CallArguments& call);

// Null for an op that needs none.
ArgumentCheck findCheck(const std::string& op);

}  // namespace pt2
