// Tells which arguments an op writes to: those in its schema, and those that a few schemas omit.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <cstdint>
#include <vector>

namespace pt2 {

// Returns positions in the schema.
std::vector<uint32_t> writtenArguments(const c10::OperatorHandle& handle);

// Returns whether the op writes to elements, and not only to sizes and strides as `aten::t_` does.
bool writesContents(const c10::OperatorHandle& handle);

// Returns whether the op may draw from the default generators.
bool mayDrawRandomNumbers(const c10::OperatorHandle& handle);

// Returns whether the op returns a number that depends on elements.
bool readsElements(const c10::OperatorHandle& handle);

}  // namespace pt2
