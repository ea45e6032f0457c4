// What a schema says of an argument, reduced to what conversion needs.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/jit_type.h>

#include <cstdint>
#include <memory>
#include <string>

namespace pt2 {

enum class ArgKind : uint8_t {
  Tensor,
  Int,  // SymInt too
  Float,
  Bool,
  Scalar,
  Complex,
  String,
  DType,
  Layout,
  MemoryFormat,
  Device,
  Generator,
  List,
  Object,  // an instance of a class, which another op made
  Any,
  Unsupported,
};

struct ArgType {
  ArgKind kind = ArgKind::Unsupported;
  bool optional = false;
  int32_t fixed = 0;      // the length in `int[2]`, where a single int may be given for the list
  c10::TypePtr type;      // as IValues have it (a ScalarType is an int), without the optional
  c10::TypePtr itemType;  // of a list
  std::shared_ptr<const ArgType> element;
};

ArgType argTypeOf(const c10::Argument& argument);

// Formats a type as schemas do: `Tensor?`, `int[2]`.
std::string schemaTypeOf(const c10::Argument& argument);

}  // namespace pt2
