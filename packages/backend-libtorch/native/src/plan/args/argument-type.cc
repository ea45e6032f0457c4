// Reduces the types of TorchScript to the kinds of arguments that conversion knows.
#include "plan/args/argument-type.h"

namespace pt2 {
namespace {

ArgKind kindOf(c10::TypeKind kind) {
  switch (kind) {
    case c10::TypeKind::TensorType: return ArgKind::Tensor;
    case c10::TypeKind::IntType:
    case c10::TypeKind::SymIntType: return ArgKind::Int;
    case c10::TypeKind::FloatType:
    case c10::TypeKind::SymFloatType: return ArgKind::Float;
    case c10::TypeKind::BoolType:
    case c10::TypeKind::SymBoolType: return ArgKind::Bool;
    case c10::TypeKind::NumberType: return ArgKind::Scalar;
    case c10::TypeKind::ComplexType: return ArgKind::Complex;
    case c10::TypeKind::StringType: return ArgKind::String;
    case c10::TypeKind::ScalarTypeType: return ArgKind::DType;
    case c10::TypeKind::LayoutType: return ArgKind::Layout;
    case c10::TypeKind::MemoryFormatType: return ArgKind::MemoryFormat;
    case c10::TypeKind::DeviceObjType: return ArgKind::Device;
    case c10::TypeKind::GeneratorType: return ArgKind::Generator;
    case c10::TypeKind::ListType: return ArgKind::List;
    case c10::TypeKind::ClassType: return ArgKind::Object;
    case c10::TypeKind::AnyType: return ArgKind::Any;
    default: return ArgKind::Unsupported;
  }
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// `real` distinguishes a ScalarType from an int, and `stored` does not.
ArgType typeOf(const c10::TypePtr& real, const c10::TypePtr& stored) {
  if (const auto optional = real->cast<c10::OptionalType>()) {
    const auto storedOptional = stored->cast<c10::OptionalType>();
    ArgType inner = typeOf(optional->getElementType(), storedOptional ? storedOptional->getElementType() : stored);
    inner.optional = true;
    return inner;
  }
  ArgType result;
  result.kind = kindOf(real->kind());
  result.type = stored;
  const auto list = real->cast<c10::ListType>();
  const auto storedList = stored->cast<c10::ListType>();
  if (list && storedList) {
    result.itemType = storedList->getElementType();
    result.element = std::make_shared<const ArgType>(typeOf(list->getElementType(), result.itemType));
  }
  return result;
}

}  // namespace

ArgType argTypeOf(const c10::Argument& argument) {
  ArgType type = typeOf(argument.real_type(), argument.type());
  type.fixed = argument.N().value_or(0);
  return type;
}

std::string schemaTypeOf(const c10::Argument& argument) {
  std::string text = replaced(argument.real_type()->str(), "number", "Scalar");
  if (argument.N().has_value()) text = replaced(text, "[]", "[" + std::to_string(*argument.N()) + "]");
  return text;
}

}  // namespace pt2
