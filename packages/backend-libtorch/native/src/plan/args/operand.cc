// Reads the operands that are rare: lists, and numbers that stand for tensors.
#include "plan/args/operand.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>

namespace pt2 {
namespace {

bool readList(const Operand& operand, Slots& slots, Numbers numbers, c10::IValue& value) {
  c10::impl::GenericList list(operand.type ? operand.type->itemType : c10::TypePtr(c10::AnyType::get()));
  list.reserve(operand.items.size());
  for (const Operand& item : operand.items) {
    c10::IValue element;
    if (!read(item, slots, numbers, element)) {
      value = std::move(element);
      return false;
    }
    list.push_back(std::move(element));
  }
  value = std::move(list);
  return true;
}

}  // namespace

bool readRare(const Operand& operand, Slots& slots, Numbers numbers, c10::IValue& value) {
  if (operand.kind == Operand::Kind::List) return readList(operand, slots, numbers, value);
  if (numbers == Numbers::Shared) {
    value = operand.constant;
    return true;
  }
  at::Tensor fresh = operand.constant.toTensor().clone();
  fresh.unsafeGetTensorImpl()->set_wrapped_number(true);
  value = std::move(fresh);
  return true;
}

}  // namespace pt2
