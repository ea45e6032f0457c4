// Measures the nodes of a run, and the memory that it takes.
#pragma once

#include <c10/core/Device.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <chrono>
#include <cstddef>
#include <memory>

#include "plan/plan.h"

namespace pt2 {

class DeviceTimes;
class MemoryMeter;

class Profiler {
 public:
  explicit Profiler(c10::Device device);
  ~Profiler();

  // Counts what this thread allocates while the guard lives.
  std::unique_ptr<c10::DebugInfoGuard> watchMemory() const;

  // Is called when a run begins, for the first time or again: it discards the steps so far; their time counts.
  void clear();
  size_t startStep(size_t graph, size_t node);
  void endStep(size_t step);
  std::unique_ptr<Profile> finish();

 private:
  int64_t now() const;

  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::unique_ptr<Profile> profile_ = std::make_unique<Profile>();
  std::shared_ptr<MemoryMeter> memory_;
  std::unique_ptr<DeviceTimes> device_;  // null where the host's clock is right
};

}  // namespace pt2
