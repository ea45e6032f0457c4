// Tensors whose memory only oneDNN can read. Kernels of other ops take them for ordinary ones, if they come as anything
// but the first argument, and find no memory.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace pt2 {

// Whether an op makes such tensors, or takes them.
bool knowsOpaque(const std::string& op);

// Failure `libtorch.argument` where an op that is not made for it is given such tensors and ordinary ones together.
void requireSameMemory(const std::string& op, const std::vector<c10::IValue>& values);

}  // namespace pt2
