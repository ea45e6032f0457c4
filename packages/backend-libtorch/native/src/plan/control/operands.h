// Reads the operands of higher-order ops. An operand that differs from what PyTorch writes is a Failure
// `libtorch.control`.
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
// Moves the items of a list operand out; an operand that is left out has no items.
Values takeList(ControlArgs& args, size_t index);
// Reads a tensor with one element, or a number, as a bool.
bool truthOf(const ControlArgs& args, const c10::IValue& value);

void append(Values& values, const Values& more);

// Returns the length of the first dimension, which all sequences share.
int64_t lengthOf(const ControlArgs& args, const Values& sequences);
// Returns one row of each sequence.
Values rowOf(const Values& sequences, int64_t row);
// Stacks the rows of each value along a new first dimension; None stays None.
Values stackRows(const ControlArgs& args, const std::vector<Values>& rows);

}  // namespace pt2
