// Inputs that stay between runs, and which of them share a storage.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pt2 {

using StorageKey = const c10::StorageImpl*;

// Null for a tensor without storage.
StorageKey storageOf(const at::Tensor& tensor);

// A tensor over the same storage that knows nothing of gradients and version counters, with sizes of its own.
at::Tensor adopt(const at::Tensor& tensor);

class BoundInputs {
 public:
  explicit BoundInputs(std::vector<at::Tensor> tensors);

  void replace(size_t input, const at::Tensor& tensor);
  // Undefined where each run gives the input.
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  // Of their storages, each counted once. Of tensors without one, which only their kernels can look into, the elements.
  size_t bytes() const;
  bool holds(StorageKey storage) const { return inputs_.count(storage) != 0; }

 private:
  void add(size_t input, const at::Tensor& tensor);

  std::vector<at::Tensor> tensors_;
  std::unordered_map<StorageKey, uint32_t> inputs_;  // how many view each storage
};

}  // namespace pt2
