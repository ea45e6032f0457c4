// Python's operators on sizes and numbers: `_operator::floordiv`, `math::trunc`, `torch::sym_max`.
#pragma once

#include <ATen/core/ivalue.h>

#include <string>

namespace pt2 {

using ScalarOp = c10::IValue (*)(c10::ArrayRef<c10::IValue> operands);

// Returns null for an op that is unknown here.
ScalarOp findScalarOp(const std::string& op);

}  // namespace pt2
