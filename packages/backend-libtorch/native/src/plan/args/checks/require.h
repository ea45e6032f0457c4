// What the checks of plan/args/checks/checks.h are made of. Each looks at tensors of the CPU only, whose kernels do not.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <initializer_list>
#include <string>
#include <vector>

namespace pt2 {

// The arguments of a call.
struct CallArguments {
  const std::string& op;
  const std::vector<c10::IValue>& values;

  // Undefined for what is no tensor, or not on the CPU.
  at::Tensor tensor(size_t index) const;
  // Whether `tensor` gives something at all of these places.
  bool has(std::initializer_list<size_t> places) const;
  // An int, a bool or None; `otherwise` for what is none.
  int64_t integer(size_t index, int64_t otherwise) const;
  // Elements of a tensor or a list of ints, as int64.
  at::Tensor integers(size_t index) const;
  // Of a list; undefined ones as with `tensor`. Empty for what is no list of tensors.
  std::vector<at::Tensor> tensors(size_t index) const;
};

[[noreturn]] void refuseArgument(const CallArguments& call, const char* name, const std::string& what);

inline void require(bool condition, const CallArguments& call, const char* name, const char* what) {
  if (!condition) refuseArgument(call, name, what);
}

// No tensor among some arguments is sparse, or of another device.
void requirePlain(const CallArguments& call, size_t from, size_t to);

// Every element is in [from, to).
void requireRange(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t from, int64_t to);
// As offsets: from 0 to `last` at most, none smaller than the one before it, along the last dimension.
void requireOffsets(const CallArguments& call, const char* name, const at::Tensor& offsets, int64_t last);
// So many elements, if the tensor is there. `orNone`: or no elements.
void requireCount(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t count,
                  bool orNone = false);
// Not there, or of so many dimensions.
void requireDims(const CallArguments& call, const char* name, const at::Tensor& tensor, int64_t dims);
void requireSizes(const CallArguments& call, const char* name, const at::Tensor& tensor, at::IntArrayRef sizes);

// (grad_output, self, …) of a pooling over the last dimensions: batches and channels are the same, sizes may be others.
void requirePlanes(const CallArguments& call, int64_t dims);

}  // namespace pt2
