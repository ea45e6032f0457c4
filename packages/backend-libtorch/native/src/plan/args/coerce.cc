// Converts computed values to what a schema expects.
#include "plan/args/coerce.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

#include <utility>

namespace pt2 {
namespace {

// A tensor of one element and no dimensions converts to its element, where the element is of the expected kind.
bool itemOf(const ArgType& type, c10::IValue& value) {
  if (!value.isTensor()) return false;
  const at::Tensor& tensor = value.toTensor();
  if (!tensor.defined() || tensor.dim() != 0) return false;
  const c10::ScalarType dtype = tensor.scalar_type();
  const bool integral = c10::isIntegralType(dtype, false);
  const bool fits = type.kind == ArgKind::Int     ? integral
                    : type.kind == ArgKind::Float ? integral || c10::isFloatingType(dtype)
                    : type.kind == ArgKind::Bool  ? dtype == c10::ScalarType::Bool
                                                  : true;
  if (!fits) return false;
  const c10::Scalar item = tensor.item();
  value = type.kind == ArgKind::Float ? c10::IValue(item.toDouble()) : c10::IValue(item);
  return true;
}

bool coerceToTensor(c10::IValue& value) {
  if (!value.isScalar() && !value.isBool()) return false;
  at::Tensor tensor = c10::scalar_to_tensor(value.toScalar());
  tensor.unsafeGetTensorImpl()->set_wrapped_number(true);
  value = std::move(tensor);
  return true;
}

bool coerceToNumber(const ArgType& type, c10::IValue& value) {
  if (value.isSymInt() || value.isSymFloat() || value.isSymBool()) return false;
  if (type.kind == ArgKind::Int && value.isBool()) {
    value = static_cast<int64_t>(value.toBool());
    return true;
  }
  if (type.kind == ArgKind::Float && (value.isInt() || value.isBool())) {
    value = value.isInt() ? static_cast<double>(value.toInt()) : static_cast<double>(value.toBool());
    return true;
  }
  if (type.kind == ArgKind::Complex && (value.isInt() || value.isDouble())) {
    value = c10::complex<double>(value.isInt() ? static_cast<double>(value.toInt()) : value.toDouble(), 0);
    return true;
  }
  return itemOf(type, value);
}

bool coerceToList(const ArgType& type, c10::IValue& value) {
  if (!type.element) return false;
  c10::impl::GenericList items(type.itemType);
  if (!value.isList()) {
    if (type.fixed == 0 || !coerce(*type.element, value)) return false;
    for (int32_t i = 0; i < type.fixed; ++i) items.push_back(value);
    value = std::move(items);
    return true;
  }
  const c10::ArrayRef<c10::IValue> given = value.toListRef();
  const bool sameType = *value.type()->castRaw<c10::ListType>()->getElementType() == *type.itemType;
  if (sameType && type.element->kind != ArgKind::Tensor) return true;
  items.reserve(given.size());
  for (c10::IValue item : given) {
    if (!coerce(*type.element, item)) return false;
    items.push_back(std::move(item));
  }
  value = std::move(items);
  return true;
}

}  // namespace

bool coerce(const ArgType& type, c10::IValue& value) {
  if (accepts(type, value)) return true;
  if (type.optional && (value.isNone() || (value.isTensor() && !value.toTensor().defined()))) {
    value = c10::IValue();
    return true;
  }
  switch (type.kind) {
    case ArgKind::Tensor: return coerceToTensor(value);
    case ArgKind::Int:
    case ArgKind::Float:
    case ArgKind::Bool:
    case ArgKind::Scalar: return coerceToNumber(type, value);
    case ArgKind::Complex: return value.isComplexDouble() || coerceToNumber(type, value);
    case ArgKind::String: return value.isString();
    case ArgKind::Device: return value.isDevice();
    // Only another op can have made these values, which are enumerators of c10.
    case ArgKind::DType:
    case ArgKind::Layout:
    case ArgKind::MemoryFormat: return false;
    case ArgKind::List: return coerceToList(type, value);
    case ArgKind::Object: return value.isObject() && value.type()->isSubtypeOf(*type.type);
    case ArgKind::Any: return true;
    case ArgKind::Generator:
    case ArgKind::Unsupported: return false;
  }
  return false;
}

}  // namespace pt2
