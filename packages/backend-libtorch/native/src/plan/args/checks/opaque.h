// Tensors whose memory only oneDNN can read. Other ops read one as an ordinary tensor if it is not their first
// argument, and find no memory.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace pt2 {

// Returns whether an op makes such tensors, or takes them.
bool knowsOpaque(const std::string& op);

// Throws Failure `libtorch.argument` where an op that does not support it is given such tensors and ordinary ones
// together.
void requireSameMemory(const std::string& op, const std::vector<c10::IValue>& values);

}  // namespace pt2
