// A run on its device, used by one caller at a time. Knows nothing of JavaScript.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "device.h"
#include "plan/plan.h"

namespace pt2 {

class RunState {
 public:
  RunState(std::unique_ptr<Run> run, c10::Device device) : run_(std::move(run)), stream_(device) {}

  // Reserves the run for the next `resume`; Failure `libtorch.busy` when somebody else has it.
  void claim();
  // What a claim that never came to `resume` leaves.
  void unclaim() noexcept { busy_ = false; }

  // Gives the claim back. Results are ready to be read when it returns.
  Step resume(std::vector<c10::IValue> results);

  // From any thread.
  void cancel() noexcept;

 private:
  std::shared_ptr<Run> current();
  void finish() noexcept;

  std::mutex mutex_;
  std::shared_ptr<Run> run_;  // null once it is over
  StreamLease stream_;
  std::atomic<bool> busy_{false};
};

}  // namespace pt2
