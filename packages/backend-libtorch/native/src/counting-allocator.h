// Counts the memory that CPU tensors of this process take.
#pragma once

#include <cstdint>

namespace pt2 {

struct MemoryUse {
  int64_t live;
  int64_t peak;
};

// Puts counters around libtorch's CPU allocator. Blocks that were allocated before stay uncounted. The function is
// idempotent.
void countCpuMemory();

MemoryUse cpuMemoryUse();

}  // namespace pt2
