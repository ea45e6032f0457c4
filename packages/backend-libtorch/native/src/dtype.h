// PyTorch's dtype names, the ones a program can use.
#pragma once

#include <c10/core/ScalarType.h>

#include <optional>
#include <string>
#include <string_view>

namespace pt2 {

// Nothing for a name that is none, or that this libtorch is too old for.
std::optional<c10::ScalarType> findDtype(std::string_view name);

// As findDtype, or Failure `libtorch.argument`.
c10::ScalarType parseDtype(const std::string& name);

// Null for quantised and sub-byte types, which have no name here.
const char* dtypeName(c10::ScalarType dtype);

}  // namespace pt2
