// What the checks of plan/args/index-checks.h are made of. Each looks at tensors of the CPU only, whose kernels do not.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <string>
#include <vector>

namespace pt2 {

// The arguments of a call.
struct CallArguments {
  const std::string& op;
  const std::vector<c10::IValue>& values;

  // Undefined for what is no tensor, or not on the CPU.
  at::Tensor tensor(size_t index) const;
  // An int, a bool or None; `otherwise` for what is none.
  int64_t integer(size_t index, int64_t otherwise) const;
  // Elements of a tensor or a list of ints, as int64.
  at::Tensor integers(size_t index) const;
};

[[noreturn]] void refuseArgument(const CallArguments& call, const char* name, const std::string& what);

// Every element is in [from, to).
void requireRange(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t from, int64_t to);
// As offsets: from 0 to `last` at most, none smaller than the one before it, along the last dimension.
void requireOffsets(const CallArguments& call, const char* name, const at::Tensor& offsets, int64_t last);
// So many elements, if the tensor is there. `orNone`: or no elements.
void requireCount(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t count,
                  bool orNone = false);
void requireSizes(const CallArguments& call, const char* name, const at::Tensor& tensor, at::IntArrayRef sizes);

}  // namespace pt2
