// Redirects writes to inputs to copies, and keeps inputs out of the results.
#include "plan/run/protection.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>

#include "plan/plan-error.h"

namespace pt2 {
namespace {

c10::Storage copyOf(const at::Tensor& viewer) {
  const c10::Storage& storage = viewer.storage();
  at::Tensor bytes = at::empty({0}, viewer.options().dtype(c10::kByte));
  bytes.set_(storage, 0, {static_cast<int64_t>(storage.nbytes())}, {1});
  return bytes.clone().storage();
}

// Lists are copied: other values may share the given one.
template <class F>
c10::IValue mapTensors(const c10::IValue& value, F&& map) {
  if (value.isTensor()) return map(value.toTensor());
  if (!value.isList()) return value;
  c10::impl::GenericList list(c10::AnyType::get());
  for (const c10::IValue& item : value.toListRef()) list.push_back(mapTensors(item, map));
  return list;
}

}  // namespace

Protection::Protection(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs)
    : plan_(std::move(plan)), bound_(plan_->bound()) {
  const auto& bound = bound_->tensors();
  size_t given = 0;
  inputs_.reserve(bound.size());
  for (const at::Tensor& tensor : bound) {
    if (tensor.defined()) {
      inputs_.emplace_back(tensor);
      continue;
    }
    if (given == inputs.size()) refusePlan("a run gives too few inputs");
    c10::IValue& input = inputs[given++];
    if (input.isTensor() && input.toTensor().defined()) {
      if (const StorageKey storage = storageOf(input.toTensor())) given_.insert(storage);
      input = adopt(input.toTensor());
    }
    inputs_.push_back(std::move(input));
  }
  if (given != inputs.size()) refusePlan("a run gives too many inputs");
}

std::vector<c10::IValue> Protection::begin() {
  copies_.clear();
  originals_.clear();
  touched_.clear();
  redirected_.clear();
  std::vector<c10::IValue> values = inputs_;
  if (!plan_->program().writes) return values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (plan_->isWritten(i) && values[i].isTensor()) toCopy_.insert(storageOf(values[i].toTensor()));
  }
  toCopy_.erase(nullptr);
  if (toCopy_.empty()) return values;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].isTensor() || toCopy_.count(storageOf(values[i].toTensor())) == 0) continue;
    at::Tensor tensor = redirect(values[i].toTensor());
    redirected_.emplace_back(i, tensor);
    values[i] = std::move(tensor);
  }
  return values;
}

at::Tensor Protection::redirect(const at::Tensor& tensor) {
  const StorageKey original = storageOf(tensor);
  auto copy = copies_.find(original);
  if (copy == copies_.end()) {
    copy = copies_.emplace(original, copyOf(tensor)).first;
    originals_.emplace(copy->second.unsafeGetStorageImpl(), original);
  }
  auto impl = tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(c10::VariableVersion(), true);
  impl->set_storage_keep_dtype(copy->second);
  return at::Tensor(std::move(impl));
}

void Protection::import(std::vector<c10::IValue>& values) {
  if (!plan_->program().writes) return;
  for (c10::IValue& value : values) {
    value = mapTensors(value, [this](const at::Tensor& tensor) -> c10::IValue {
      const StorageKey storage = storageOf(tensor);
      // A handler may return one of its arguments, which is a value of the program.
      if (storage == nullptr || originals_.count(storage) != 0) return tensor;
      imported_.insert(storage);
      return toCopy_.count(storage) == 0 ? tensor : redirect(tensor);
    });
  }
}

bool Protection::isInput(StorageKey storage) const { return given_.count(storage) != 0 || bound_->holds(storage); }

bool Protection::admits(const std::string& name, const OpNode& op, const std::vector<c10::IValue>& arguments) {
  bool admitted = true;
  const size_t known = toCopy_.size();
  for (const uint32_t index : op.writes) {
    const c10::IValue& value = arguments[index];
    if (value.isTensor()) {
      admitted &= admitsTensor(value.toTensor(), op.writesContents);
    } else if (value.isList()) {
      for (const c10::IValue& item : value.toListRef()) {
        if (item.isTensor()) admitted &= admitsTensor(item.toTensor(), op.writesContents);
      }
    }
  }
  if (!admitted && toCopy_.size() == known && plan_->numbers() == Numbers::Shared) {
    throw Failure("libtorch.op-failed", "`" + name + "` writes to memory of an input that cannot be replaced.");
  }
  return admitted;
}

bool Protection::admitsTensor(const at::Tensor& tensor, bool contents) {
  const StorageKey storage = storageOf(tensor);
  if (storage == nullptr) return true;
  const auto original = originals_.find(storage);
  if (original != originals_.end()) {
    if (contents) touched_.insert(original->second);
    return true;
  }
  if (plan_->isNumber(storage)) {
    plan_->makeNumbersFresh();
    return false;
  }
  if (!isInput(storage) && imported_.count(storage) == 0) return true;
  toCopy_.insert(storage);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (inputs_[i].isTensor() && storageOf(inputs_[i].toTensor()) == storage) plan_->markWritten(i);
  }
  return false;
}

void Protection::update(const at::Tensor& tensor) {
  const auto original = originals_.find(storageOf(tensor));
  if (original != originals_.end()) touched_.insert(original->second);
}

void Protection::release(std::vector<c10::IValue>& values) const {
  for (c10::IValue& value : values) {
    value = mapTensors(value, [this](const at::Tensor& tensor) -> c10::IValue {
      if (!tensor.defined()) return {};
      const StorageKey storage = storageOf(tensor);
      const auto original = originals_.find(storage);
      const bool input = isInput(original == originals_.end() ? storage : original->second);
      return input || plan_->isNumber(storage) ? tensor.clone() : tensor;
    });
  }
}

std::vector<std::pair<size_t, at::Tensor>> Protection::written() const {
  std::vector<std::pair<size_t, at::Tensor>> result;
  for (const auto& [input, tensor] : redirected_) {
    if (touched_.count(storageOf(inputs_[input].toTensor())) != 0) result.emplace_back(input, tensor);
  }
  return result;
}

}  // namespace pt2
