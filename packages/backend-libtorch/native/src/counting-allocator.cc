// Counts the bytes that libtorch's CPU allocator holds.
#include "counting-allocator.h"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#else
#include <malloc.h>
#endif

namespace pt2 {
namespace {

std::atomic<int64_t> live{0};
std::atomic<int64_t> peak{0};

// Holds the size of a block, because libtorch's call that frees a block does not pass it.
int64_t sizeOf(void* block) {
  if (block == nullptr) return 0;
#if defined(_WIN32)
  return static_cast<int64_t>(_aligned_msize(block, c10::gAlignment, 0));
#elif defined(__APPLE__)
  return static_cast<int64_t>(malloc_size(block));
#else
  return static_cast<int64_t>(malloc_usable_size(block));
#endif
}

void count(int64_t bytes) {
  const int64_t now = live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  int64_t most = peak.load(std::memory_order_relaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, std::memory_order_relaxed)) {
  }
}

void release(void* block);

class CountingAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t size) override {
    c10::DataPtr data = inner_->allocate(size);
    void* block = data.get();
    count(sizeOf(block));
    data.release_context();
    return {block, block, release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return release; }
  void copy_data(void* to, const void* from, size_t size) const override { default_copy_data(to, from, size); }
  void free(void* block) const {
    count(-sizeOf(block));
    inner_->raw_deleter()(block);
  }

 private:
  c10::Allocator* inner_ = c10::GetDefaultCPUAllocator();
};

// The allocator is never destroyed: tensors outlive static destructors.
CountingAllocator& allocator() {
  static auto* counting = new CountingAllocator();
  return *counting;
}

void release(void* block) { allocator().free(block); }

}  // namespace

void countCpuMemory() { c10::SetCPUAllocator(&allocator(), /*priority=*/1); }

MemoryUse cpuMemoryUse() { return {live.load(std::memory_order_relaxed), peak.load(std::memory_order_relaxed)}; }

}  // namespace pt2
