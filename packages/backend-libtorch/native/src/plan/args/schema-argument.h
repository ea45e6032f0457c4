// Converts an argument of a program to what its schema expects. Everything that can be decided before the program runs
// is decided here.
#pragma once

#include <ATen/core/function_schema.h>
#include <c10/core/Device.h>

#include <optional>
#include <string>

#include "plan/args/operand.h"
#include "plan/source.h"

namespace pt2 {

struct SchemaContext {
  const std::string& op;
  // The device of the program; absent for an eager call, whose device arguments are kept.
  std::optional<c10::Device> device;
};

// Throws Failure `libtorch.argument`, which names the op, the argument, the expected type and the given value.
Operand toOperand(const ArgSource& source, const c10::Argument& argument, const SchemaContext& context);

// Converts an operand of a node without schema.
Operand toOperand(const ArgSource& source);

}  // namespace pt2
