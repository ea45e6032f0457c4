// Reading the operands of higher-order ops. What is not as PyTorch writes it is a Failure `libtorch.control`.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "plan/control/control.h"

namespace pt2 {

using Values = std::vector<c10::IValue>;

[[noreturn]] void refuseControl(const ControlArgs& args, const std::string& what);

size_t graphAt(const ControlArgs& args, size_t index);
const c10::IValue& valueAt(const ControlArgs& args, size_t index);
// Moves the items of a list operand out; none for one that is left out.
Values takeList(ControlArgs& args, size_t index);
// Of a tensor with one element, or of a number.
bool truthOf(const ControlArgs& args, const c10::IValue& value);

void append(Values& values, const Values& more);

// Length of the first dimension, which all sequences share.
int64_t lengthOf(const ControlArgs& args, const Values& sequences);
// One row of each.
Values rowOf(const Values& sequences, int64_t row);
// Rows of each value, stacked along a new first dimension; None stays.
Values stackRows(const ControlArgs& args, const std::vector<Values>& rows);

}  // namespace pt2
