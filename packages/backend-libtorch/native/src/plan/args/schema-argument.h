// From an argument as the program wrote it to one as its schema wants it. Everything that can be decided before the
// program runs is decided here.
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
  // Where the program is to run; nothing for an eager call, which means the devices that it names.
  std::optional<c10::Device> device;
};

// Failure `libtorch.argument`, which names the op, the argument, what the schema expects and what was given.
Operand toOperand(const ArgSource& source, const c10::Argument& argument, const SchemaContext& context);

// An operand of a node without schema.
Operand toOperand(const ArgSource& source);

}  // namespace pt2
