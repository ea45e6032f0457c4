// Which arguments an op writes to: what its schema says, and what a few schemas keep quiet about.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <vector>

namespace pt2 {

// Positions in the schema.
std::vector<uint32_t> writtenArguments(const c10::OperatorHandle& handle);

// Whether the op writes to elements, and not only to sizes and strides as `aten::t_` does.
bool writesContents(const c10::OperatorHandle& handle);

// Whether the op may draw from the default generators.
bool mayDrawRandomNumbers(const c10::OperatorHandle& handle);

}  // namespace pt2
