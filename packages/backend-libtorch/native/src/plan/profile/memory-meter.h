// Counts what allocators report on threads that watch.
#pragma once

#include <c10/core/Allocator.h>

#include <atomic>
#include <cstdint>

namespace pt2 {

class MemoryMeter final : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void* pointer, int64_t size, size_t allocated, size_t reserved, c10::Device device) override;
  bool memoryProfilingEnabled() const override { return true; }

  // Returns the most bytes at one time, above what was allocated before.
  int64_t peak() const { return peak_; }

 private:
  std::atomic<int64_t> live_{0};
  std::atomic<int64_t> peak_{0};
};

}  // namespace pt2
