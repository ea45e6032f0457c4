// Tells whether a computed value can be an argument, as PyTorch's Python argument parser decides it.
#pragma once

#include <ATen/core/ivalue.h>

#include "plan/args/argument-type.h"

namespace pt2 {

// Checks the common case, which needs no conversion.
inline bool accepts(const ArgType& type, const c10::IValue& value) {
  switch (type.kind) {
    case ArgKind::Tensor: return value.isTensor() && value.toTensor().defined();
    case ArgKind::Int: return value.isInt();
    case ArgKind::Float: return value.isDouble();
    case ArgKind::Bool: return value.isBool();
    case ArgKind::Scalar: return value.isInt() || value.isDouble() || value.isBool() || value.isComplexDouble();
    case ArgKind::Any: return true;
    default: return false;
  }
}

// Converts in place; returns false when the value is of another kind.
bool coerce(const ArgType& type, c10::IValue& value);

}  // namespace pt2
