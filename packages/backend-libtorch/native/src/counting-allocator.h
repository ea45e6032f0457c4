// Counts the memory that CPU tensors of this process take.
#pragma once

#include <cstdint>

namespace pt2 {

struct MemoryUse {
  int64_t live;
  int64_t peak;
};

// Has libtorch take its memory on the CPU from an allocator that counts it. Blocks that were allocated before stay
// uncounted. The function is idempotent.
void countCpuMemory();

MemoryUse cpuMemoryUse();

}  // namespace pt2
