// The inputs that stay between runs, and which of them share a storage.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace pt2 {

using StorageKey = const c10::StorageImpl*;

// Returns null for a tensor without storage.
StorageKey storageOf(const at::Tensor& tensor);

// Makes a tensor over the same storage that has sizes of its own, and neither gradient nor version counter.
at::Tensor adopt(const at::Tensor& tensor);

class BoundInputs {
 public:
  explicit BoundInputs(std::vector<at::Tensor> tensors);

  void replace(size_t input, const at::Tensor& tensor);
  // The tensor is undefined where each run gives the input.
  const std::vector<at::Tensor>& tensors() const { return tensors_; }
  // Returns the bytes of the storages, each counted once. A tensor without storage, which only its kernels can read,
  // counts its elements.
  size_t bytes() const;
  bool holds(StorageKey storage) const { return inputs_.count(storage) != 0; }

 private:
  void add(size_t input, const at::Tensor& tensor);

  std::vector<at::Tensor> tensors_;
  std::unordered_map<StorageKey, uint32_t> inputs_;  // how many inputs view each storage
};

}  // namespace pt2
