// Maps PyTorch's dtype names, as far as a program can use them.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace pt2 {

// Returns nothing for a name that is no dtype, or that this libtorch does not have.
std::optional<c10::ScalarType> findDtype(std::string_view name);

// Finds a dtype as findDtype does, or throws Failure `libtorch.argument`.
c10::ScalarType parseDtype(const std::string& name);

// Returns null for quantized and sub-byte types, which have no name here.
const char* dtypeName(c10::ScalarType dtype);

}  // namespace pt2
