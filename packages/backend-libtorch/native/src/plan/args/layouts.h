// Operands whose kernels read memory in the order in which it lies, without a look at all strides. The functions of
// PyTorch that call these ops bring the operands into one order before, as its autograd does; a program calls the ops
// themselves, with tensors that may lie otherwise than where it was written.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <vector>

namespace pt2 {

// What the kernel of an op expects.
enum class Layouts {
  Any,
  Same,   // all operands are dense, in the order of the first one
  Plain,  // an operand that is dense is so in the order that its strides suggest; those of sizes of 1 may mislead
};

// The operands of one op, by their indices in its schema.
class OperandLayouts {
 public:
  OperandLayouts() = default;
  explicit OperandLayouts(const c10::FunctionSchema& schema);

  bool empty() const { return operands_.empty(); }
  // Copies operands that do not lie as the kernel expects.
  void operator()(std::vector<c10::IValue>& values) const;

 private:
  Layouts layouts_ = Layouts::Any;
  std::vector<uint32_t> operands_;
};

}  // namespace pt2
