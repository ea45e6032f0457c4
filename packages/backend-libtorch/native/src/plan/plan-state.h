// A program with its bound inputs, and what its runs have found out about it.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <vector>

#include "plan/bound.h"
#include "plan/compile/program.h"
#include "plan/plan.h"
#include "run-memory.h"

namespace pt2 {

class Plan {
 public:
  Plan(Program program, std::vector<at::Tensor> bound);

  const Program& program() const { return program_; }

  // Returns the inputs that are bound now; what is bound later does not change them.
  std::shared_ptr<const BoundInputs> bound() const;
  void bind(size_t input, const at::Tensor& tensor);

  // The inputs that schemas say are written to, and those that some run wrote to.
  bool isWritten(size_t input) const { return written_[input].load(std::memory_order_relaxed); }
  void markWritten(size_t input) { written_[input].store(true, std::memory_order_relaxed); }

  bool isNumber(StorageKey storage) const { return numberStorages_.count(storage) != 0; }
  Numbers numbers() const { return numbers_.load(std::memory_order_relaxed); }
  void makeNumbersFresh() { numbers_.store(Numbers::Fresh, std::memory_order_relaxed); }

  // What runs allocate; null where they do more than compute on the CPU.
  RunMemory* memory() const { return memory_.get(); }

 private:
  Program program_;
  std::unordered_set<StorageKey> numberStorages_;
  mutable std::mutex mutex_;
  std::shared_ptr<BoundInputs> bound_;
  std::vector<std::atomic<bool>> written_;
  std::atomic<Numbers> numbers_{Numbers::Shared};
  std::unique_ptr<RunMemory> memory_;
};

}  // namespace pt2
