// Keeps the tensors that are bound to a plan, and counts the views of each storage.
#include "plan/bound.h"

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>

#include <utility>

namespace pt2 {

StorageKey storageOf(const at::Tensor& tensor) {
  if (!tensor.defined() || !tensor.has_storage()) return nullptr;
  return tensor.unsafeGetTensorImpl()->unsafe_storage().unsafeGetStorageImpl();
}

at::Tensor adopt(const at::Tensor& tensor) {
  if (storageOf(tensor) == nullptr || tensor.layout() != c10::kStrided || tensor.is_quantized() || tensor.is_conj() ||
      tensor.is_neg()) {
    return tensor;
  }
  const c10::InferenceMode inference;
  at::Tensor adopted = at::empty({0}, tensor.options().requires_grad(false));
  return adopted.set_(tensor.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

BoundInputs::BoundInputs(std::vector<at::Tensor> tensors) : tensors_(tensors.size()) {
  for (size_t i = 0; i < tensors.size(); ++i) add(i, tensors[i]);
}

size_t BoundInputs::bytes() const {
  size_t bytes = 0;
  for (const auto& [storage, count] : inputs_) bytes += storage->nbytes();
  for (const at::Tensor& tensor : tensors_) {
    if (tensor.defined() && storageOf(tensor) == nullptr) {
      bytes += static_cast<size_t>(tensor.numel()) * tensor.element_size();
    }
  }
  return bytes;
}

void BoundInputs::add(size_t input, const at::Tensor& tensor) {
  tensors_[input] = tensor.defined() ? adopt(tensor) : tensor;
  if (const StorageKey storage = storageOf(tensor)) ++inputs_[storage];
}

void BoundInputs::replace(size_t input, const at::Tensor& tensor) {
  const auto previous = inputs_.find(storageOf(tensors_[input]));
  if (previous != inputs_.end() && --previous->second == 0) inputs_.erase(previous);
  add(input, tensor);
}

}  // namespace pt2
