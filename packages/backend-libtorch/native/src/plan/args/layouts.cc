// Finds the operands of an op that its kernel reads in the order of their memory, and copies those in another one.
#include "plan/args/layouts.h"

#include <ATen/core/Tensor.h>
#include <c10/core/MemoryFormat.h>

#include <string>
#include <string_view>
#include <unordered_map>

namespace pt2 {
namespace {

struct Entry {
  Layouts layouts;
  std::vector<const char*> names;
};

const Entry* entryOf(const std::string& op) {
  static const std::unordered_map<std::string_view, Entry> entries = {
      {"aten::native_group_norm", {Layouts::Same, {"input"}}},
      {"aten::native_group_norm_backward", {Layouts::Same, {"input", "grad_out"}}},
      {"aten::native_batch_norm_backward", {Layouts::Plain, {"input", "grad_out"}}},
  };
  const auto found = entries.find(op);
  return found == entries.end() ? nullptr : &found->second;
}

bool isStrided(const c10::IValue& value) {
  return value.isTensor() && value.toTensor().defined() && value.toTensor().layout() == c10::kStrided;
}

// Kernels of GPUs read rows one after the other only.
at::MemoryFormat formatOf(const at::Tensor& tensor) {
  return tensor.is_cpu() ? tensor.suggest_memory_format() : at::MemoryFormat::Contiguous;
}

bool isDense(const at::Tensor& tensor) {
  return tensor.is_contiguous() || tensor.is_contiguous(at::MemoryFormat::ChannelsLast) ||
         tensor.is_contiguous(at::MemoryFormat::ChannelsLast3d);
}

}  // namespace

OperandLayouts::OperandLayouts(const c10::FunctionSchema& schema) {
  const Entry* entry = entryOf(c10::toString(schema.operator_name()));
  if (entry == nullptr) return;
  layouts_ = entry->layouts;
  for (const char* name : entry->names) {
    if (const auto index = schema.argumentIndexWithName(name)) operands_.push_back(static_cast<uint32_t>(*index));
  }
}

void OperandLayouts::operator()(std::vector<c10::IValue>& values) const {
  if (empty() || !isStrided(values[operands_.front()])) return;
  const at::MemoryFormat first = formatOf(values[operands_.front()].toTensor());
  for (const uint32_t operand : operands_) {
    if (!isStrided(values[operand])) continue;
    const at::Tensor tensor = values[operand].toTensor();
    const at::MemoryFormat format = layouts_ == Layouts::Same ? first : formatOf(tensor);
    const bool isRead = layouts_ == Layouts::Same || isDense(tensor);
    if (isRead && !tensor.is_contiguous(format)) values[operand] = tensor.contiguous(format);
  }
}

}  // namespace pt2
