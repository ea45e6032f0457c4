// Keeps one run from changing what it was given. A program may write to its inputs: it then writes to copies of their
// storages. That an input needs one is found out when the first write to it is about to happen; the run begins again.
#pragma once

#include <ATen/core/ivalue.h>

#include <memory>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "plan/plan-state.h"

namespace pt2 {

class Protection {
 public:
  Protection(std::shared_ptr<Plan> plan, std::vector<c10::IValue> inputs);

  // Inputs of the root graph for a run from the beginning.
  std::vector<c10::IValue> begin();
  // Values that come from outside during a run: what they view is not the program's to write to either.
  void import(std::vector<c10::IValue>& values);
  // Whether the op may run. False: begin again.
  bool admits(const std::string& name, const OpNode& op, const std::vector<c10::IValue>& arguments);
  // Values that leave the run: none views an input.
  void release(std::vector<c10::IValue>& values) const;
  // Inputs that were written to, with their new values.
  std::vector<std::pair<size_t, at::Tensor>> written() const;

 private:
  bool admitsTensor(const at::Tensor& tensor, bool contents);
  bool isInput(StorageKey storage) const;
  at::Tensor redirect(const at::Tensor& tensor);

  std::shared_ptr<Plan> plan_;
  std::shared_ptr<const BoundInputs> bound_;
  std::vector<c10::IValue> inputs_;          // all of them, as given
  std::unordered_set<StorageKey> given_;     // storages of the inputs that are not bound
  std::unordered_set<StorageKey> imported_;  // storages of values from outside
  std::unordered_set<StorageKey> toCopy_;

  // Of the run since it began last.
  std::unordered_map<StorageKey, c10::Storage> copies_;
  std::unordered_map<StorageKey, StorageKey> originals_;  // of each copy
  std::unordered_set<StorageKey> touched_;                // originals
  std::vector<std::pair<size_t, at::Tensor>> redirected_;
};

}  // namespace pt2
