// The floor under an interpreter of ops: a chain of additions in a loop, each called as a plan calls its nodes
// (`boxed`, arguments on a stack) and as C++ calls an op that it knows at compile time (`typed`).
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <torch/library.h>

namespace {

at::Tensor boxed(const at::Tensor& x, const at::Tensor& y, int64_t count) {
  static const c10::OperatorHandle add = c10::Dispatcher::singleton().findSchemaOrThrow("aten::add", "Tensor");
  c10::IValue sum = x;
  c10::Stack stack;
  for (int64_t i = 0; i < count; ++i) {
    stack.emplace_back(std::move(sum));
    stack.emplace_back(y);
    stack.emplace_back(1);
    add.callBoxed(stack);
    sum = std::move(stack.back());
    stack.clear();
  }
  return std::move(sum).toTensor();
}

at::Tensor typed(const at::Tensor& x, const at::Tensor& y, int64_t count) {
  at::Tensor sum = x;
  for (int64_t i = 0; i < count; ++i) sum = at::add(sum, y);
  return sum;
}

}  // namespace

TORCH_LIBRARY(pt2_bench, library) {
  library.def("boxed(Tensor x, Tensor y, int count) -> Tensor", boxed);
  library.def("typed(Tensor x, Tensor y, int count) -> Tensor", typed);
}
