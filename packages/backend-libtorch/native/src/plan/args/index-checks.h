// Indices, lengths and offsets that some of libtorch's CPU kernels take without looking: they would read or write
// outside of their tensors. They are checked here before the kernel runs.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace pt2 {

// Arguments are in the schema's order, all of them. Failure `libtorch.argument` for what the kernel must not be given.
using IndexCheck = void (*)(const std::string& op, const std::vector<c10::IValue>& arguments);

// Null for an op that needs none.
IndexCheck findIndexCheck(const std::string& op);

}  // namespace pt2
