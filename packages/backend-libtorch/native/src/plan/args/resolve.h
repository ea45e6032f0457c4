// Converts the name of an op and named arguments to a dispatcher handle and operands in schema order.
#pragma once

#include <ATen/core/dispatch/Dispatcher.h>

#include <optional>
#include <string>
#include <vector>

#include "plan/args/operand.h"
#include "plan/args/schema-argument.h"
#include "plan/source.h"

namespace pt2 {

// Finds an op by its full name, `aten::add.Tensor`. Throws Failure `libtorch.no-op` or `libtorch.refused-op`.
c10::OperatorHandle resolveOp(const std::string& op);

// Returns one operand per argument of the schema, with defaults for arguments that are left out.
std::vector<Operand> toOperands(const std::vector<NamedArg>& args, const c10::FunctionSchema& schema,
                                const SchemaContext& context);

}  // namespace pt2
