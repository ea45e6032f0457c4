// Updates of a part of a tensor, and how each is undone.
#pragma once

#include <ATen/core/ivalue.h>

#include <functional>
#include <string>
#include <vector>

namespace pt2 {

// Keeps the elements that a call with these arguments will overwrite, and returns what writes them back.
using KeepOverwritten = std::function<void()> (*)(const std::vector<c10::IValue>& arguments);

// Returns null for an op of which that is not known.
KeepOverwritten findOverwrite(const std::string& op);

}  // namespace pt2
