// Converts the arguments of a program to what a schema expects, before the program runs.
#include "plan/args/schema-argument.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

#include <algorithm>
#include <utility>

#include "device.h"
#include "plan/args/argument-failure.h"
#include "plan/args/coerce.h"

namespace pt2 {
namespace {

using Kind = ArgSource::Kind;

bool isConstant(const Operand& operand) { return operand.kind == Operand::Kind::Constant; }

// Returns the value of a literal without regard to the schema.
c10::IValue literal(const ArgSource& source, const std::optional<c10::Device>& device) {
  switch (source.kind) {
    case Kind::Int: return source.integer;
    case Kind::Float: return source.real;
    case Kind::Bool: return source.integer != 0;
    case Kind::Complex: return c10::complex<double>(source.real, source.imag);
    case Kind::String: return source.text;
    case Kind::Device: return device.has_value() ? *device : parseDevice(source.text);
    case Kind::Tensor: return source.tensor;
    case Kind::DType:
    case Kind::Layout:
    case Kind::MemoryFormat: return source.integer;
    default: return {};
  }
}

// IValue keeps these kinds as plain ints, so only the source can distinguish them from an int.
bool isNamedInt(Kind kind) { return kind == Kind::DType || kind == Kind::Layout || kind == Kind::MemoryFormat; }

bool matchesNamedInt(Kind given, ArgKind wanted) {
  return (given == Kind::DType && wanted == ArgKind::DType) || (given == Kind::Layout && wanted == ArgKind::Layout) ||
         (given == Kind::MemoryFormat && wanted == ArgKind::MemoryFormat) || wanted == ArgKind::Any;
}

using MaybeOperand = std::optional<Operand>;

MaybeOperand convert(const ArgSource& source, const std::shared_ptr<const ArgType>& type, const SchemaContext& context);

MaybeOperand convertList(const ArgSource& source, const std::shared_ptr<const ArgType>& type,
                         const SchemaContext& context) {
  if (type->kind == ArgKind::Any) return toOperand(source);
  if (type->kind != ArgKind::List || !type->element) return std::nullopt;
  Operand operand;
  operand.kind = Operand::Kind::List;
  operand.type = type;
  for (const ArgSource& item : source.items) {
    MaybeOperand converted = convert(item, type->element, context);
    if (!converted) return std::nullopt;
    operand.items.push_back(std::move(*converted));
  }
  if (!std::all_of(operand.items.begin(), operand.items.end(), isConstant)) return operand;
  Slots none;
  Operand constant;
  if (!read(operand, none, Numbers::Shared, constant.constant)) return std::nullopt;
  return constant;
}

MaybeOperand convert(const ArgSource& source, const std::shared_ptr<const ArgType>& type,
                     const SchemaContext& context) {
  Operand operand;
  switch (source.kind) {
    case Kind::Graph: return std::nullopt;
    case Kind::None:
      if (!type->optional && type->kind != ArgKind::Any) return std::nullopt;
      return operand;
    case Kind::Slot:
      if (type->kind == ArgKind::Unsupported || type->kind == ArgKind::Generator) return std::nullopt;
      operand.kind = Operand::Kind::Slot;
      operand.slot = static_cast<Slot>(source.integer);
      operand.type = type;
      return operand;
    case Kind::List: return convertList(source, type, context);
    default: break;
  }
  operand.constant = literal(source, context.device);
  if (isNamedInt(source.kind)) {
    if (!matchesNamedInt(source.kind, type->kind)) return std::nullopt;
    return operand;
  }
  const bool number = type->kind == ArgKind::Tensor && source.kind != Kind::Tensor;
  if (!coerce(*type, operand.constant)) return std::nullopt;
  if (number) operand.kind = Operand::Kind::Number;
  return operand;
}

}  // namespace

Operand toOperand(const ArgSource& source, const c10::Argument& argument, const SchemaContext& context) {
  const auto type = std::make_shared<const ArgType>(argTypeOf(argument));
  MaybeOperand operand = convert(source, type, context);
  if (operand) return std::move(*operand);
  const std::string expected = schemaTypeOf(argument);
  const std::string reason = type->kind == ArgKind::Unsupported || type->kind == ArgKind::Generator
                                 ? ". Values of that type cannot be given from here"
                                 : "";
  refuseArgument(context.op, argument.name(), "must be " + expected + ", not " + describe(source) + reason);
}

Operand toOperand(const ArgSource& source) {
  Operand operand;
  if (source.kind == Kind::Slot) {
    operand.kind = Operand::Kind::Slot;
    operand.slot = static_cast<Slot>(source.integer);
  } else if (source.kind == Kind::List) {
    operand.kind = Operand::Kind::List;
    for (const ArgSource& item : source.items) operand.items.push_back(toOperand(item));
  } else if (source.kind == Kind::Device) {
    operand.constant = source.text;
  } else {
    operand.constant = literal(source, std::nullopt);
  }
  return operand;
}

}  // namespace pt2
