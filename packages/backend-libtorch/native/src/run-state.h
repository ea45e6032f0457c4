// A run on its device, with one caller at a time. Nothing here depends on JavaScript.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "device.h"
#include "plan/plan.h"

namespace pt2 {

class RunState {
 public:
  RunState(std::unique_ptr<Run> run, c10::Device device) : run_(std::move(run)), device_(device) {}

  // Reserves the run for the next `resume`. Throws Failure `libtorch.busy` when another caller has reserved it.
  void claim();
  // Releases a claim without a `resume`.
  void unclaim() noexcept { busy_ = false; }

  // Continues the run and releases the claim. Results are ready to be read when it returns.
  Step resume(std::vector<c10::IValue> results);

  // Any thread may call it.
  void cancel() noexcept;

  // Undoes what a run that was canceled has written, unless it is under way: then it does so itself.
  void undo();

 private:
  // Releases a claim at the end of its scope.
  struct Claim {
    std::atomic<bool>& busy;
    ~Claim() { busy = false; }
  };

  std::shared_ptr<Run> current();
  Step resumeOnStream(Run& run, std::vector<c10::IValue> results);
  void finish() noexcept;

  std::mutex mutex_;
  std::shared_ptr<Run> run_;  // null once the run is over
  c10::Device device_;
  // From the first step, as runs that wait for a thread need none, until the run is over: JavaScript may hold it
  // longer.
  std::optional<StreamLease> stream_;
  std::atomic<bool> busy_{false};
};

}  // namespace pt2
