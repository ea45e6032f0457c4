// Measures the nodes of a run with the host's clock.
#include "plan/profile/profile.h"

#include <utility>

#include "plan/profile/device-times.h"
#include "plan/profile/memory-meter.h"

namespace pt2 {

Profiler::Profiler(c10::Device device) : memory_(std::make_shared<MemoryMeter>()), device_(DeviceTimes::make(device)) {}

Profiler::~Profiler() = default;

int64_t Profiler::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_).count();
}

std::unique_ptr<c10::DebugInfoGuard> Profiler::watchMemory() const {
  return std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, memory_);
}

void Profiler::clear() {
  profile_->steps.clear();
  ++profile_->beginnings;
  if (device_) device_->clear();
}

size_t Profiler::startStep(size_t graph, size_t node) {
  const size_t step = profile_->steps.size();
  profile_->steps.push_back({graph, node, 0, 0});
  if (device_) device_->start(step);
  profile_->steps[step].startNs = now();
  return step;
}

void Profiler::endStep(size_t step) {
  StepTime& time = profile_->steps[step];
  time.durationNs = now() - time.startNs;
  if (device_) device_->end(step);
}

std::unique_ptr<Profile> Profiler::finish() {
  if (device_) device_->resolve(profile_->steps);
  profile_->totalNs = now();
  profile_->peakBytes = memory_->peak();
  return std::move(profile_);
}

}  // namespace pt2
