// One argument of a call, as a check reads it. Tensors of other devices and layouts read as undefined: their kernels
// check arguments themselves.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace pt2 {

class Arg {
 public:
  Arg(const std::string& op, const char* name, const c10::IValue& value) : op_(&op), name_(name), value_(&value) {}

  const std::string& op() const { return *op_; }
  const c10::IValue& value() const { return *value_; }

  // Returns an undefined tensor for a value that is not a strided tensor on the CPU.
  at::Tensor tensor() const;
  bool hasTensor() const { return tensor().defined(); }
  // Returns the items of a list, each as `tensor` reads it; none for a value that is not a list.
  std::vector<at::Tensor> tensors() const;
  // Returns an int, or a bool as 0 or 1; `otherwise` for any other value.
  int64_t integer(int64_t otherwise) const;
  bool isTrue() const { return integer(0) != 0; }
  // Returns the elements of a tensor of integers or a list of ints, as int64; undefined for any other value.
  at::Tensor integers() const;

  // Throws Failure `libtorch.argument`, which names the op and this argument.
  [[noreturn]] void refuse(const std::string& what) const;
  void require(bool condition, const char* what) const {
    if (!condition) refuse(what);
  }

 private:
  const std::string* op_;
  const char* name_;
  const c10::IValue* value_;
};

}  // namespace pt2
