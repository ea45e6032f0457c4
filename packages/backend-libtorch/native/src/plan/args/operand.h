// An argument of a node in the form that the interpreter pushes: a constant, a slot, or a list with slots in it.
#pragma once

#include <ATen/core/ivalue.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "plan/args/argument-type.h"
#include "plan/args/coerce.h"

namespace pt2 {

// The index of a value in a graph under execution; slots count from 0 in the order in which they are written.
enum class Slot : uint32_t {};

struct Operand {
  enum class Kind : uint8_t {
    Constant,
    Number,  // a number in the place of a tensor: a constant that ops may return views of
    Slot,
    List,
  };

  Kind kind = Kind::Constant;
  bool last = false;     // whether this is the last read of the slot
  Slot slot{};           // if the kind is Slot
  c10::IValue constant;  // if the kind is Constant or Number
  // The type in the schema; null where there is no schema and every value is accepted.
  std::shared_ptr<const ArgType> type;
  std::vector<Operand> items;  // if the kind is List
};

// The values of a graph under execution.
class Slots {
 public:
  explicit Slots(size_t count = 0) : values_(count) {}
  explicit Slots(std::vector<c10::IValue> values) : values_(std::move(values)) {}

  c10::IValue& operator[](Slot slot) { return values_[static_cast<size_t>(slot)]; }

 private:
  std::vector<c10::IValue> values_;
};

// Whether a number in the place of a tensor is one shared tensor, or a fresh one for each read: a program that writes
// to such a tensor needs fresh ones.
enum class Numbers : uint8_t { Shared, Fresh };

bool readRare(const Operand& operand, Slots& slots, Numbers numbers, c10::IValue& value);

// Reads the value of an operand. Returns false when the slot holds a value that cannot be the argument.
inline bool read(const Operand& operand, Slots& slots, Numbers numbers, c10::IValue& value) {
  if (operand.kind == Operand::Kind::Constant) {
    value = operand.constant;
    return true;
  }
  if (operand.kind != Operand::Kind::Slot) return readRare(operand, slots, numbers, value);
  c10::IValue& slot = slots[operand.slot];
  if (operand.last) {
    value = std::move(slot);
  } else {
    value = slot;
  }
  return operand.type == nullptr || accepts(*operand.type, value) || coerce(*operand.type, value);
}

}  // namespace pt2
