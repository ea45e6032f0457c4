// Gathers what an op is about to scatter to.
#include "plan/compile/overwrites.h"

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/index.h>
#include <ATen/ops/index_select.h>

#include <string_view>
#include <unordered_map>

namespace pt2 {
namespace {

using Arguments = std::vector<c10::IValue>;

// copy_(self, src, non_blocking)
std::function<void()> keepCopied(const Arguments& arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  return [self, old = self.clone()] { self.copy_(old); };
}

// index_copy_(self, dim, index, source), index_add_(self, dim, index, source, alpha)
std::function<void()> keepIndexed(const Arguments& arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const int64_t dim = arguments[1].toInt();
  const at::Tensor index = arguments[2].toTensor().reshape({-1}).to(at::kLong);
  return [self, dim, index, old = at::index_select(self, dim, index)] { self.index_copy_(dim, index, old); };
}

// index_put_(self, indices, values, accumulate)
std::function<void()> keepIndexPut(const Arguments& arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  c10::List<std::optional<at::Tensor>> indices = arguments[1].toOptionalTensorList();
  return [self, indices, old = at::index(self, indices)] { self.index_put_(indices, old); };
}

// scatter_(self, dim, index, src)
std::function<void()> keepScattered(const Arguments& arguments) {
  const at::Tensor& self = arguments[0].toTensor();
  const int64_t dim = arguments[1].toInt();
  const at::Tensor& index = arguments[2].toTensor();
  return [self, dim, index, old = at::gather(self, dim, index)] { self.scatter_(dim, index, old); };
}

const std::unordered_map<std::string_view, KeepOverwritten> kOverwrites = {
    {"aten::copy_", &keepCopied},        {"aten::index_add_", &keepIndexed},     {"aten::index_copy_", &keepIndexed},
    {"aten::index_put_", &keepIndexPut}, {"aten::scatter_.src", &keepScattered},
};

}  // namespace

KeepOverwritten findOverwrite(const std::string& op) {
  const auto found = kOverwrites.find(op);
  return found == kOverwrites.end() ? nullptr : found->second;
}

}  // namespace pt2
