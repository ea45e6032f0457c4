// Runs of a plan on inputs of fixed shapes, recorded once.
#pragma once

#include <memory>
#include <mutex>

#include "device.h"
#include "plan/bound.h"
#include "plan/plan.h"
#include "recorder.h"

namespace pt2 {

class CapturedRun {
 public:
  // Warms the plan up on copies of the inputs, then records. Throws Failure `libtorch.capture` for a program that
  // cannot be recorded: one that has host nodes, writes to its inputs or buffers, or reads a number back from the
  // device.
  CapturedRun(std::shared_ptr<Plan> plan, const Values& inputs, c10::Device device);

  // Replays with inputs of the same dtypes and shapes; the caller owns the results. Any thread may call it; calls wait
  // for each other.
  Values run(const Values& inputs);

 private:
  Values runPlan() const;
  void fill(const Values& inputs);

  std::shared_ptr<Plan> plan_;
  std::shared_ptr<const BoundInputs> bound_;  // whose memory the recording reads
  std::mutex mutex_;
  StreamLease stream_;
  Values inputs_;  // in the memory that the recording reads
  std::unique_ptr<Recorder> recorder_;
};

}  // namespace pt2
