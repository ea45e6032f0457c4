// Keeps a run from changing its inputs. A program may write to its inputs: it then writes to copies of their storages.
// The first write to an input is found when it is about to happen; the run then begins again with a copy.
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

  // Returns the inputs of the root graph for a run from the beginning.
  std::vector<c10::IValue> begin();
  // Registers values that come from outside during a run: the program must not write to what they view either.
  void import(std::vector<c10::IValue>& values);
  // Returns whether the op may run. If not, the run must begin again.
  bool admits(const std::string& name, const OpNode& op, const std::vector<c10::IValue>& arguments);
  // Takes note of an update of a bound input, or of its copy where another op writes to it too.
  void update(const at::Tensor& tensor);
  // Returns values that may leave the run: none views an input.
  void release(std::vector<c10::IValue>& values) const;
  // Returns the inputs that were written to, with their new values.
  std::vector<std::pair<size_t, at::Tensor>> written() const;

 private:
  bool admitsTensor(const at::Tensor& tensor, bool contents);
  bool isInput(StorageKey storage) const;
  at::Tensor redirect(const at::Tensor& tensor);

  std::shared_ptr<Plan> plan_;
  std::shared_ptr<const BoundInputs> bound_;
  std::vector<c10::IValue> inputs_;          // all inputs, as the caller gave them
  std::unordered_set<StorageKey> given_;     // storages of the inputs that are not bound
  std::unordered_set<StorageKey> imported_;  // storages of values from outside
  std::unordered_set<StorageKey> toCopy_;

  // These belong to the run since it began last.
  std::unordered_map<StorageKey, c10::Storage> copies_;
  std::unordered_map<StorageKey, StorageKey> originals_;  // the original of each copy
  std::unordered_set<StorageKey> touched_;                // the originals of the copies that were written to
  std::vector<std::pair<size_t, at::Tensor>> redirected_;
};

}  // namespace pt2
