// How much memory CPU tensors of this process take.
#pragma once

#include <cstdint>

namespace pt2 {

struct MemoryUse {
  int64_t live;
  int64_t peak;
};

// Puts counters around libtorch's CPU allocator. What was allocated before stays uncounted. Idempotent.
void countCpuMemory();

MemoryUse cpuMemoryUse();

}  // namespace pt2
