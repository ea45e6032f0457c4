// Keeps the largest number of bytes that were allocated at one time.
#include "plan/profile/memory-meter.h"

namespace pt2 {

void MemoryMeter::reportMemoryUsage(void*, int64_t size, size_t, size_t, c10::Device) {
  const int64_t live = live_ += size;
  int64_t peak = peak_;
  while (live > peak && !peak_.compare_exchange_weak(peak, live)) {
  }
}

}  // namespace pt2
