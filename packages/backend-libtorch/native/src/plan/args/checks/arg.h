// One argument of a call, as a check of arguments reads it. Tensors of other devices and layouts read as undefined: the
// kernels behind those look for themselves.
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

  // Undefined for what is no tensor, or no strided tensor of the CPU.
  at::Tensor tensor() const;
  bool hasTensor() const { return tensor().defined(); }
  // The items of a list, each as `tensor` reads it. Empty for what is no list.
  std::vector<at::Tensor> tensors() const;
  // An int, or a bool as 0 or 1; `otherwise` for anything else.
  int64_t integer(int64_t otherwise) const;
  bool isTrue() const { return integer(0) != 0; }
  // The elements of a tensor of integers or a list of ints, as int64; undefined for anything else.
  at::Tensor integers() const;

  // Failure `libtorch.argument`, which names the op and this argument.
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
